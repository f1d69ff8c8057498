// `npm run dev`: the page, and `bridle dev` behind it, the server with your agents. Both take up changes.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createLogger, createServer } from 'vite'

if (existsSync('.env')) process.loadEnvFile()
// Flags, such as `npm run dev -- --port 4400`, are for the server.
const flags = process.argv.slice(2)
const { values } = parseArgs({ args: flags, strict: false, options: { port: { type: 'string' } } })
const target = `http://127.0.0.1:${values.port ?? process.env.PORT ?? '4317'}`
// A tab that is closed cuts its socket. Vite would print two stacks for it.
const customLogger = createLogger()
const { error: printError } = customLogger
customLogger.error = (text, options) => {
  const { code } = (options?.error ?? {}) as NodeJS.ErrnoException
  if (code !== 'ECONNRESET' || !text.includes('ws proxy')) printError(text, options)
}
const page = await createServer({ customLogger, server: { proxy: { '/ws': { target, ws: true } } } })
await page.listen()
console.log('The page:')
page.printUrls()

const server = spawn('bridle', ['dev', ...flags], {
  stdio: 'inherit',
  // bridle.config.ts: Vite shows the page, so that the server has room for the cockpit.
  env: { ...process.env, PAGE: 'vite' },
  shell: process.platform === 'win32',
})
server.once('error', ({ message }) => {
  console.error(`bridle could not start: ${message}. Run npm install first.`)
  process.exit(1)
})
server.once('exit', async (code) => {
  await page.close()
  process.exit(code ?? 1)
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => server.kill('SIGTERM'))
