// npm test [-- arguments of `vitest run`]
//
// The checks and the tests at once: the tests wait for programs and disks for much of their time, which is enough for the checks. The tests
// print as they go, and the output of the checks follows in one piece.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { CHECK_PARTS, type CheckPart, check } from './check.ts'

const RUN_TESTS = fileURLToPath(new URL('run-tests.ts', import.meta.url))

/** Resolves with the exit code of the tests, or with 1 if only a check failed. */
export const checkAndTest = async (
  parts: readonly CheckPart[],
  tests: readonly string[],
  print: (text: string) => void,
): Promise<number> => {
  const checked = check(parts, ({ name, hasPassed }) => {
    // A failed check is announced at once.
    if (!hasPassed) print(`${name}: failed. The output follows the tests.`)
  })
  const [program = '', ...args] = tests
  const [code] = await once(spawn(program, args, { stdio: 'inherit' }), 'exit')
  const results = await checked
  for (const { name, output, hasPassed } of results) print(hasPassed ? `${name}: passed` : `${name}: failed\n${output}`)
  if (code !== 0) return code ?? 1
  return results.every(({ hasPassed }) => hasPassed) ? 0 : 1
}

if (import.meta.main)
  process.exitCode = await checkAndTest(
    CHECK_PARTS,
    [process.execPath, RUN_TESTS, ...process.argv.slice(2)],
    console.log,
  )
