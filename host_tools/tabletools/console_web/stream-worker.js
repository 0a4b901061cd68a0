// The worker that the pages of one browser share, so that they need one stream: a browser opens six
// connections to a host, and each page would hold one. Its name is the path of the stream.

import { stream } from "./stream.js";

const pages = new Set();
let live = null;

function tell(message) {
  for (const page of pages) page.postMessage(message);
}

function join(page) {
  pages.add(page);
  if (live === null) live = stream(self.name, tell);
  else live.repeat((message) => page.postMessage(message));
}

function leave(page) {
  pages.delete(page);
  if (pages.size > 0 || live === null) return;
  live.close();
  live = null;
}

self.addEventListener("connect", ({ ports: [page] }) => {
  page.addEventListener("message", ({ data }) => (data === "join" ? join(page) : leave(page)));
  page.start();
});
