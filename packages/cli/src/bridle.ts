#!/usr/bin/env node
// The installed command. Checks the Node version before importing anything that requires a recent one.
const NEEDED = [22, 18] as const
const { node } = process.versions
const [major = 0, minor = 0] = node.split('.').map(Number)

// Suppresses these two warnings, which older Node versions print among the command's output. They have no code, so match
// their text.
const NOTICES = ['SQLite is an experimental feature', 'Type Stripping is an experimental feature']
const { emitWarning } = process
process.emitWarning = ((...warning: Parameters<typeof emitWarning>) => {
  if (!NOTICES.some((notice) => String(warning[0]).startsWith(notice))) Reflect.apply(emitWarning, process, warning)
}) as typeof emitWarning

if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) await import('./main.ts')
else {
  // `init` runs outside a project, so there is nowhere to install a newer Node.
  const remedy =
    process.argv[2] === 'init'
      ? `For this command alone, with the package that you have:
  npx -p node@24 -p ./bridle-VERSION.tgz bridle init ${process.argv[3] ?? 'my-agents'}
`
      : `For this project alone, run:
  npm install --save-dev node@24
`
  process.stderr.write(
    // Wrapped by hand, because nothing can be imported yet.
    `bridle: Node ${NEEDED.join('.')} or newer is needed; this is ${node}.
https://nodejs.org has it for the whole machine. ${remedy}`,
  )
  process.exitCode = 1
}
