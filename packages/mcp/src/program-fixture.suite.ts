// The fixture server as a program: `node program-fixture.suite.ts <mode> [folder]`. It writes its process id into the folder, and with
// the mode `stubborn` it ends neither with its input nor by SIGTERM, and has a child that does neither.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type FixtureMode, FixtureServer, type RpcMessage } from './fixture-server.suite.ts'

export const fixtureProgram = (mode: string, folder: string) => ({
  command: process.execPath,
  args: ['--no-warnings', fileURLToPath(import.meta.url), mode, folder],
})

const main = (mode: string, folder: string): void => {
  const isStubborn = mode === 'stubborn'
  writeFileSync(join(folder, `${process.pid}.pid`), JSON.stringify(process.env))
  if (isStubborn) {
    process.on('SIGTERM', () => {})
    const endless = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'
    const child = spawn(process.execPath, ['--eval', endless], { stdio: 'ignore' })
    writeFileSync(join(folder, `${child.pid}.pid`), '')
    setInterval(() => {}, 1_000)
  }
  const server = new FixtureServer(isStubborn ? 'good' : (mode as FixtureMode))
  const wire = {
    send: (message: object) => void process.stdout.write(`${JSON.stringify(message)}\n`),
    raw: (text: string) => void process.stdout.write(text.endsWith('\n') ? text : `${text}\n`),
    die: () => process.exit(3),
  }
  createInterface({ input: process.stdin }).on('line', (line) => server.take(JSON.parse(line) as RpcMessage, wire))
}

if (import.meta.main) main(process.argv[2] ?? 'good', process.argv[3] ?? '.')
