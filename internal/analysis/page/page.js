const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const map = byId("map"), rows = byId("rows"), trail = byId("trail"), search = byId("search");
const nodes = new WeakMap(); // element → node
let root, at, wanted = "", matching = new Set(), asTable = false;

function size(n) {
  if (n < 1000) return n + " B";
  if (n < 1e6) return (n / 1e3).toFixed(1) + " kB";
  return (n / 1e6).toFixed(2) + " MB";
}

const share = (n) => ((n / Math.max(root.bytes, 1)) * 100).toFixed(1) + " %";
const files = (n) => n + (n === 1 ? " file" : " files");

function describe(n) {
  const words = [n.name, size(n.bytes), share(n.bytes)];
  if (n.children !== null && n.files > 0) words.push(files(n.files));
  if (n.license !== "") words.push("licence " + n.license);
  return words.join(", ");
}

function element(tag, className, text) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = text;
  return e;
}

const say = (text) => { byId("live").textContent = text; };
const hover = (n) => { byId("hover").textContent = n ? n.path + ": " + describe(n) : "\u00a0"; };

// place gives an element its rectangle. The page's policy forbids style attributes in
// markup; properties set by its own script are allowed.
function place(e, p) {
  e.style.left = p.x + "px";
  e.style.top = p.y + "px";
  e.style.width = p.width + "px";
  e.style.height = p.height + "px";
  e.style.setProperty("--hue", String(p.n.hue));
  if (p.n.plain) e.style.setProperty("--colour", "0%");
  if (wanted !== "" && !matching.has(p.n)) e.classList.add("dim");
  nodes.set(e, p.n);
}

const smallest = 3; // pixels of a side of what is drawn
const deepest = 4; // levels drawn in a tile

function tile(p) {
  const e = element("button", p.n.children === null ? "tile leaf" : "tile");
  e.type = "button";
  e.tabIndex = -1;
  e.setAttribute("aria-label", describe(p.n) + (p.n.children === null ? "" : ", opens"));
  place(e, p);
  label(e, p, 20);
  parts(e, p, 20, deepest);
  return e;
}

// label writes name and size. Where it is narrow the name is cut, and the size is not;
// where there is no room for both, the name is left.
function label(e, p, height) {
  if (p.width <= 30 || p.height < height - 2) return;
  const text = element("span", "name");
  text.append(element("span", "word", p.n.name));
  if (p.width >= 90) text.append(element("span", "size", size(p.n.bytes)));
  e.append(text);
}

// parts draws what is in a tile, for the eye only: it is reached by opening the tile.
function parts(e, p, top, depth) {
  if (depth === 0 || p.n.children === null || p.width < 20 || p.height < top + 8) return;
  for (const inner of layout(p.n.children, 2, top, p.width - 6, p.height - top - 4)) {
    if (inner.width < smallest || inner.height < smallest) continue;
    const part = element("span", "part");
    part.setAttribute("aria-hidden", "true");
    place(part, inner);
    label(part, inner, 15);
    e.append(part);
    parts(part, inner, 15, depth - 1);
  }
}

function draw(focused) {
  const box = map.getBoundingClientRect();
  const tiles = layout(at.children, 0, 0, box.width, box.height).filter((p) => p.width >= smallest && p.height >= smallest).map(tile);
  map.replaceChildren(...tiles);
  map.setAttribute("aria-label", "Tiles of " + at.name + ", sized by bytes");
  const first = tiles.find((e) => nodes.get(e) === focused) || tiles.find((e) => !e.classList.contains("dim")) || tiles[0];
  if (first) first.tabIndex = 0;
  return first;
}

const longest = 500; // rows of the table

function list(focused) {
  const found = wanted === "" ? at.children : [...leaves(at)].filter((n) => matching.has(n)).sort((a, b) => b.bytes - a.bytes);
  byId("caption").textContent = describe(at) + (wanted === "" ? "" : ", files that match") +
    (found.length > longest ? ", the first " + longest + " of " + found.length : "");
  let first = null;
  rows.replaceChildren(...found.slice(0, longest).map((n) => {
    const row = element("tr"), cell = element("td");
    if (n.children === null) cell.textContent = wanted === "" ? n.name : n.path;
    else {
      const open = element("button", "", n.name);
      open.type = "button";
      nodes.set(open, n);
      cell.append(open);
      if (first === null || n === focused) first = open;
    }
    row.append(cell, element("td", "", n.license), element("td", "number", n.files === 0 ? "" : String(n.files)),
      element("td", "number", String(n.bytes)), element("td", "number", share(n.bytes)));
    return row;
  }));
  return first;
}

function drawTrail() {
  const way = [];
  for (let n = at; n !== null; n = n.parent) way.unshift(n);
  trail.replaceChildren(...way.map((n) => {
    if (n === at) {
      const here = element("span", "", describe(n));
      here.setAttribute("aria-current", "location");
      return here;
    }
    const up = element("button", "", n.name);
    up.type = "button";
    nodes.set(up, n);
    return up;
  }));
}

function show(focused, take) {
  byId("map").hidden = asTable;
  byId("list").hidden = !asTable;
  drawTrail();
  const first = asTable ? list(focused) : draw(focused);
  if (take && first) first.focus();
  else if (take) byId("view").focus();
}

function open(n) {
  if (n.children === null) {
    say(n.path + ", " + size(n.bytes) + ", " + share(n.bytes));
    return;
  }
  const from = at;
  at = n;
  hover(null);
  say(describe(n));
  let child = from;
  while (child !== null && child.parent !== n) child = child.parent;
  show(child, true);
}

function find() {
  wanted = search.value.trim().toLowerCase();
  matching = new Set();
  let count = 0, bytes = 0;
  if (wanted !== "") for (const n of leaves(root)) {
    if (!n.path.toLowerCase().includes(wanted)) continue;
    count++;
    bytes += n.bytes;
    for (let up = n; up !== null; up = up.parent) matching.add(up);
  }
  const text = wanted === "" ? "" : files(count) + " match, " + size(bytes) + ", " + share(bytes);
  byId("found").textContent = text;
  byId("found").hidden = text === "";
  say(text);
  show(null, false);
}

function choose(index) {
  root = treeOf(data.bundles[index]);
  at = root;
  find();
}

// nearest is the tile next to another in a direction: the one with the least gap ahead,
// where a gap to the side counts more, and among these the one most nearly opposite.
function nearest(from, dx, dy) {
  const a = from.getBoundingClientRect();
  const gap = (low, high, otherLow, otherHigh) => Math.max(0, otherLow - high, low - otherHigh);
  let best = null, least = Infinity;
  for (const e of map.children) {
    const b = e.getBoundingClientRect();
    const ahead = dx > 0 ? b.left - a.right : dx < 0 ? a.left - b.right : dy > 0 ? b.top - a.bottom : a.top - b.bottom;
    const aside = dx !== 0 ? gap(a.top, a.bottom, b.top, b.bottom) : gap(a.left, a.right, b.left, b.right);
    const middles = dx !== 0 ? Math.abs(a.top + a.bottom - b.top - b.bottom) : Math.abs(a.left + a.right - b.left - b.right);
    const far = ahead + 4 * aside + middles / 100;
    if (e !== from && ahead > -2 && far < least) { best = e; least = far; }
  }
  return best;
}

const directions = new Map([["ArrowLeft", [-1, 0]], ["ArrowRight", [1, 0]], ["ArrowUp", [0, -1]], ["ArrowDown", [0, 1]]]);

map.addEventListener("keydown", (event) => {
  const tileNow = event.target.closest(".tile");
  if (!tileNow || event.ctrlKey || event.altKey || event.metaKey) return;
  const direction = directions.get(event.key);
  let next = direction ? nearest(tileNow, ...direction) : null;
  if (event.key === "Home") next = map.firstElementChild;
  if (event.key === "End") next = map.lastElementChild;
  if (direction || next) event.preventDefault();
  if (!next) return;
  tileNow.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target !== search && at.parent !== null) open(at.parent);
});
const nodeOf = (event) => { const e = event.target.closest("button"); return e ? nodes.get(e) : undefined; };
for (const part of [map, rows, trail]) part.addEventListener("click", (event) => { const n = nodeOf(event); if (n) open(n); });
map.addEventListener("focusin", (event) => hover(nodeOf(event)));
map.addEventListener("mouseover", (event) => { const e = event.target.closest(".part, .tile"); if (e) hover(nodes.get(e)); });
map.addEventListener("mouseleave", () => hover(null));
search.addEventListener("input", find);
search.addEventListener("keydown", (event) => { if (event.key === "Enter") show(null, true); });
byId("view").addEventListener("click", () => {
  asTable = !asTable;
  byId("view").setAttribute("aria-pressed", String(asTable));
  show(null, false);
});
if (data.plugin !== "") {
  byId("title").textContent = data.plugin + ": what is in the bundle";
  document.title = byId("title").textContent;
}
byId("bundle").append(...data.bundles.map((b, i) => { const o = element("option", "", b.name + " (" + b.outfile + ")"); o.value = String(i); return o; }));
byId("bundle").addEventListener("change", (event) => choose(Number(event.target.value)));
choose(0);
new ResizeObserver(() => {
  if (asTable) return;
  const focused = document.activeElement && map.contains(document.activeElement) ? nodes.get(document.activeElement) : null;
  show(focused, focused !== null);
}).observe(map);
