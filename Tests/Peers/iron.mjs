// Seals of Iron (Fe26.2), by Node's own cryptography, against ours: Tests/PorticoSealsTests.
//
//   node iron.mjs seal PASSWORD ID LIFETIME NOW OBJECT    prints a seal
//   node iron.mjs open PASSWORD NOW SEAL                  prints the object, or fails with a reason
//
// LIFETIME and NOW in milliseconds; OBJECT is JSON. A PASSWORD of 64 hexadecimal digits after `hex:`
// is a key that is used as it is.
import {
  createCipheriv, createDecipheriv, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual,
} from "node:crypto";

const key = (password, salt) =>
  password.startsWith("hex:")
    ? Buffer.from(password.slice(4), "hex")
    : pbkdf2Sync(password, salt, 1, 32, "sha1");
const salt = (password) =>
  password.startsWith("hex:") ? "" : randomBytes(32).toString("hex");
const code = (password, salt, text) =>
  createHmac("sha256", key(password, salt)).update(text).digest("base64url");

function seal(password, id, lifetime, now, object) {
  const salts = [salt(password), salt(password)];
  const iv = randomBytes(16);
  const cipher = createCipheriv("aes-256-cbc", key(password, salts[0]), iv);
  const sealed = Buffer.concat([cipher.update(object, "utf8"), cipher.final()]);
  const expiration = Number(lifetime) ? String(Number(now) + Number(lifetime)) : "";
  const base = [
    "Fe26.2", id, salts[0], iv.toString("base64url"), sealed.toString("base64url"), expiration,
  ].join("*");
  return [base, salts[1], code(password, salts[1], base)].join("*");
}

function open(password, now, text) {
  const fields = text.split("*");
  if (fields.length !== 8) throw new Error("Incorrect number of sealed components");
  const [prefix, , saltE, iv, sealed, expiration, saltI, mac] = fields;
  if (prefix !== "Fe26.2") throw new Error("Wrong mac prefix");
  if (expiration !== "") {
    if (!/^[1-9]\d*$/.test(expiration)) throw new Error("Invalid expiration");
    if (Number(expiration) <= Number(now) - 60_000) throw new Error("Expired seal");
  }
  const expected = Buffer.from(code(password, saltI, fields.slice(0, 6).join("*")));
  const given = Buffer.from(mac);
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) {
    throw new Error("Bad hmac value");
  }
  const decipher = createDecipheriv(
    "aes-256-cbc", key(password, saltE), Buffer.from(iv, "base64url"),
  );
  const opened = Buffer.concat([
    decipher.update(Buffer.from(sealed, "base64url")), decipher.final(),
  ]);
  return JSON.stringify(JSON.parse(opened.toString("utf8")));
}

const [command, ...rest] = process.argv.slice(2);
try {
  console.log({ seal, open }[command](...rest));
} catch (error) {
  console.log(error.message);
  process.exitCode = 1;
}
