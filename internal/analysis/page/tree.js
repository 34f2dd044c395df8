// The tree of a bundle: packages, in them folders, in them files, and one node for
// what comes from no file. A node is {name, bytes, files, children, parent, path,
// license, hue, plain}; children is null for a file. Names come from packages and are
// used as text only.

function node(name, parent, path) {
  return { name, path, parent, bytes: 0, files: 0, children: [], license: "", hue: parent ? parent.hue : 0, plain: parent ? parent.plain : true };
}

function leaf(name, parent, path, bytes, files) {
  return { ...node(name, parent, path), bytes, files, children: null };
}

function treeOf(bundle) {
  const root = node(bundle.outfile, null, bundle.outfile);
  const packages = bundle.packages.map((p, i) => {
    const n = node(p.name, root, p.folder);
    n.license = p.license;
    n.hue = Math.round(i * 137.508) % 360;
    n.plain = false;
    n.folders = new Map();
    root.children.push(n);
    return n;
  });
  for (const [path, bytes, owner] of bundle.files) {
    const top = packages[owner];
    const prefix = top.path === "." ? "" : top.path + "/";
    const names = (path.startsWith(prefix) ? path.slice(prefix.length) : path).split("/");
    let at = top;
    for (const name of names.slice(0, -1)) {
      if (!at.folders.has(name)) {
        const folder = node(name, at, at.path === "." ? name : at.path + "/" + name);
        folder.folders = new Map();
        at.folders.set(name, folder);
        at.children.push(folder);
      }
      at = at.folders.get(name);
    }
    at.children.push(leaf(names[names.length - 1], at, path, bytes, 1));
  }
  const rest = node("(rest)", root, "what comes from no file");
  for (const [name, bytes] of bundle.rest) rest.children.push(leaf(name, rest, name, bytes, 0));
  if (rest.children.length > 0) root.children.push(rest);
  finish(root);
  return root;
}

// finish sums up, sorts, joins folders that hold one folder only, and leaves out the
// one folder that holds all of a package.
function finish(n) {
  if (n.children === null) return;
  while (n.parent !== null && n.children.length === 1 && n.children[0].children !== null) {
    n.children = n.children[0].children;
    for (const child of n.children) child.parent = n;
  }
  for (let i = 0; i < n.children.length; i++) {
    let child = n.children[i];
    while (n.parent !== null && child.children !== null && child.children.length === 1 && child.children[0].children !== null) {
      const only = child.children[0];
      only.name = child.name + "/" + only.name;
      only.parent = n;
      child = only;
    }
    n.children[i] = child;
    finish(child);
    n.bytes += child.bytes;
    n.files += child.files;
  }
  n.children.sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
}

function* leaves(n) {
  if (n.children === null) yield n;
  else for (const child of n.children) yield* leaves(child);
}

// layout places nodes in a rectangle, each with an area in proportion to its bytes and
// as nearly square as can be (squarified treemap): rows are filled along the shorter
// side as long as that makes the worst tile less narrow. Nodes come in falling order.
function layout(nodes, x, y, width, height) {
  const placed = [];
  let rest = nodes.filter((n) => n.bytes > 0);
  let total = rest.reduce((sum, n) => sum + n.bytes, 0);
  while (rest.length > 0 && width > 0 && height > 0) {
    const side = Math.min(width, height);
    const scale = (width * height) / total;
    let count = 0, sum = 0, worst = Infinity;
    while (count < rest.length) {
      const next = sum + rest[count].bytes;
      const thickness = (next * scale) / side;
      const ratio = (n) => Math.max(thickness / ((n.bytes * scale) / thickness), (n.bytes * scale) / thickness / thickness);
      const narrowest = Math.max(ratio(rest[0]), ratio(rest[count]));
      if (narrowest > worst) break;
      worst = narrowest;
      sum = next;
      count++;
    }
    const thickness = (sum * scale) / side;
    let along = 0;
    for (const n of rest.slice(0, count)) {
      const length = (n.bytes * scale) / thickness;
      placed.push(width >= height
        ? { n, x, y: y + along, width: thickness, height: length }
        : { n, x: x + along, y, width: length, height: thickness });
      along += length;
    }
    if (width >= height) { x += thickness; width -= thickness; } else { y += thickness; height -= thickness; }
    rest = rest.slice(count);
    total -= sum;
  }
  return placed;
}
