// Placeholder until the first file is here.
