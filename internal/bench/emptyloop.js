// The least that a server can be: constants, and a loop over lines. The constants stand above this.
const answers = { initialize: initialized, "tools/list": listed };
let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (text) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const { id, method } = JSON.parse(line);
    if (id !== undefined) process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${answers[method]}}\n`);
  }
});
