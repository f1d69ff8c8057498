// `npm run dev`: the page, and `bridle dev` behind it, the server with your agents. Both take up changes.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { ServerOptions } from 'bridle/node'
import { createLogger, createServer } from 'vite'

if (existsSync('.env')) process.loadEnvFile()
// bridle.config.ts: Vite shows the page, so that the server has room for the cockpit.
process.env.PAGE = 'vite'
const settings: ServerOptions = (await import('./bridle.config.ts')).default
// Flags, such as `npm run dev -- --port 4400`, are for the server. Its port is given to it, so that the page talks to this one.
const flags = process.argv.slice(2)
const { values } = parseArgs({ args: flags, strict: false, options: { port: { type: 'string' } } })
const port = String(values.port ?? process.env.PORT ?? settings.port ?? 4317)

// A tab that is closed cuts its socket, and one that is open finds no server until it has started. Vite would print stacks for both.
const customLogger = createLogger()
const { error: printError } = customLogger
customLogger.error = (text, options) => {
  const { code = '' } = (options?.error ?? {}) as NodeJS.ErrnoException
  if (!['ECONNRESET', 'ECONNREFUSED'].includes(code) || !text.includes('proxy')) printError(text, options)
}
const proxy = { '/ws': { target: `http://127.0.0.1:${port}`, ws: true } }
const page = await createServer({ customLogger, server: { proxy } })
await page.listen()
console.log('The page:')
page.printUrls()

const server = spawn('bridle', ['dev', ...flags, '--port', port], {
  stdio: 'inherit',
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
