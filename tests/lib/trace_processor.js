// SPDX-License-Identifier: GPL-2.0-only
// Runs the trace processor of Perfetto's UI without a browser: node trace_processor.js FOLDER REQUESTS > REPLIES
"use strict";
const fs = require("fs");
const [folder, requests] = process.argv.slice(2);
const exit = (error) => {
  console.error(error ? String(error.stack || error).slice(-600) : "");
  process.exit(error ? 1 : 0);
};
process.on("uncaughtException", exit);
process.on("unhandledRejection", exit);

const served = (name) => {
  const data = fs.readFileSync(`${folder}/${String(name).split("/").pop()}`);
  return data.buffer.slice(data.byteOffset, data.byteOffset + data.length);
};
class Request {  // XMLHttpRequest, as far as the bundle uses it
  open(method, name) { this.name = name; }
  send() { this.status = 200; this.response = served(this.name); }
}
const worker = { location: { href: "http://localhost/engine_bundle.js" } };
const quiet = { log() {}, warn() {}, error: console.error };
new Function(
  "self", "process", "WorkerGlobalScope", "XMLHttpRequest", "window", "document", "console", "require",
  fs.readFileSync(`${folder}/engine_bundle.js`, "utf8"),
)(worker, undefined, Object, Request, undefined, undefined, quiet, undefined);

const port = { postMessage: (reply) => fs.writeSync(1, Buffer.from(reply)) };
worker.onmessage({ data: port });
setTimeout(() => {  // when the bundle has done what it does at once
  port.onmessage({ data: new Uint8Array(fs.readFileSync(requests)) });
  process.exit(0);
}, 100);
