#!/usr/bin/env node
// The installed command. It checks the version of Node before it loads anything that an old Node cannot load.
const NEEDED = [22, 18] as const
const { node } = process.versions
const [major = 0, minor = 0] = node.split('.').map(Number)

// Older versions of Node announce these on standard error, where people read what the command has to say. The notices have no
// code: their text is all there is to know them by. All other warnings pass.
const NOTICES = ['SQLite is an experimental feature', 'Type Stripping is an experimental feature']
const { emitWarning } = process
process.emitWarning = ((...warning: Parameters<typeof emitWarning>) => {
  if (!NOTICES.some((notice) => String(warning[0]).startsWith(notice))) Reflect.apply(emitWarning, process, warning)
}) as typeof emitWarning

if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) await import('./main.ts')
else {
  // There is no project yet that `init` could use a newer Node of.
  const remedy =
    process.argv[2] === 'init'
      ? `For this command alone, with the package that you have:
  npx -p node@24 -p ./bridle-VERSION.tgz bridle init ${process.argv[3] ?? 'my-agents'}
`
      : `For this project alone, run:
  npm install --save-dev node@24
`
  process.stderr.write(
    // Wrapped by hand: nothing is loaded yet that could wrap it.
    `bridle: Node ${NEEDED.join('.')} or newer is needed; this is ${node}.
https://nodejs.org has it for the whole machine. ${remedy}`,
  )
  process.exitCode = 1
}
