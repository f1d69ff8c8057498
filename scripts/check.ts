// npm run check, without its tests: types, lint and unused code, all at once. The output of each part stays together. `npm test` runs the same
// parts beside its tests: scripts/test.ts.
import { spawn } from 'node:child_process'

export interface CheckPart {
  readonly name: string
  readonly command: readonly string[]
}

export interface CheckResult {
  readonly name: string
  readonly output: string
  readonly hasPassed: boolean
}

export const CHECK_PARTS: readonly CheckPart[] = ['types', 'lint', 'unused'].map((name) => ({
  name,
  command: ['npm', 'run', '--silent', name],
}))

/** Runs every part to its end, also after one has failed, and reports each as soon as it ends. */
export const check = (parts: readonly CheckPart[], report: (result: CheckResult) => void): Promise<CheckResult[]> =>
  Promise.all(parts.map((part) => runPart(part, report)))

const runPart = ({ name, command }: CheckPart, report: (result: CheckResult) => void): Promise<CheckResult> =>
  new Promise((resolve) => {
    const [program = '', ...args] = command
    const chunks: Buffer[] = []
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    // `close` follows, also where the program did not start.
    child.once('error', (error) => chunks.push(Buffer.from(error.message)))
    child.once('close', (code) => {
      const result = { name, output: Buffer.concat(chunks).toString(), hasPassed: code === 0 }
      report(result)
      resolve(result)
    })
  })

if (import.meta.main) {
  const results = await check(CHECK_PARTS, ({ name, output, hasPassed }) => {
    console.log(`${name}: ${hasPassed ? 'passed' : 'failed'}`)
    if (!hasPassed) console.log(output)
  })
  process.exitCode = results.every(({ hasPassed }) => hasPassed) ? 0 : 1
}
