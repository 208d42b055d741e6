// The library's tests in the Python that pages have, under Node: node run_tests.mjs GIVEN.json ARGUMENTS.json
import { readFileSync } from "node:fs";
import { load } from "./pyodide.mjs";

const [given, words] = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, "utf8")));
const py = await load(given);
py.globals.set("words", words);
try {
  process.exitCode = await py.runPythonAsync(`
import os, sys
sys.dont_write_bytecode = True
os.chdir("/tests")
import pytest
int(pytest.main(words.to_py()))
`);
} catch (error) {
  console.error(String(error.message ?? error).slice(-3000));
  process.exitCode = 1;
}
