// node --conditions=bridle-source scripts/record-module-snapshot.ts <folder> <arguments of the command>
//
// Runs the command, with the modules of every verb and of the package loaded, and writes what was loaded when it ends.
import { recordSnapshot } from './module-snapshot.ts'

const [program = '', , folder = '', ...args] = process.argv
const write = recordSnapshot(new URL('..', import.meta.url))
process.once('exit', () => write(folder))
process.argv = [program, new URL('../packages/cli/src/main.ts', import.meta.url).pathname, ...args]
const { verbs } = await import('@bridle/cli/verbs')
await Promise.all(Object.values(verbs).map(({ load }) => load()))
// Agents of a project import the package.
await import('bridle')
await import('@bridle/cli/main')
