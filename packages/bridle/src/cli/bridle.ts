#!/usr/bin/env node
// The command as it is installed. Nothing else is loaded before it is known that this Node can load it.
const NEEDED = 26
const { node } = process.versions

if (Number.parseInt(node, 10) >= NEEDED) await import('./main.ts')
else {
  process.stderr.write(`bridle: Node ${NEEDED} or newer is needed; this is ${node}.\n`)
  process.exitCode = 1
}
