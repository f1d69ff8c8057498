// `npm run dev`: `bridle dev`, the server with your agents, and the page in front of it. Both take up changes.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { createLogger, createServer } from 'vite'

if (existsSync('.env')) process.loadEnvFile()
// Flags, such as `npm run dev -- --port 4400`, are for the server.
const server = spawn('bridle', ['dev', ...process.argv.slice(2)], {
  stdio: ['inherit', 'pipe', 'inherit'],
  // bridle.config.ts: Vite shows the page, so that the server has room for the cockpit.
  env: { ...process.env, PAGE: 'vite' },
  shell: process.platform === 'win32',
})
server.once('error', ({ message }) => {
  console.error(`bridle could not start: ${message}. Run npm install first.`)
  process.exit(1)
})
server.once('close', (code) => process.exit(code ?? 1))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => server.kill('SIGTERM'))

// A tab that is closed cuts its socket. Vite would print two stacks for it.
const customLogger = createLogger()
const { error: printError } = customLogger
customLogger.error = (text, options) => {
  const { code } = (options?.error ?? {}) as NodeJS.ErrnoException
  if (code !== 'ECONNRESET' || !text.includes('ws proxy')) printError(text, options)
}
const showPage = async (target: string) => {
  const page = await createServer({ customLogger, server: { proxy: { '/ws': { target, ws: true } } } })
  await page.listen()
  console.log('The page:')
  page.printUrls()
}

// The server says where it listens: its port may come from a flag, from .env or from bridle.config.ts.
for await (const line of createInterface({ input: server.stdout })) {
  console.log(line)
  const [, target] = /^Bridle is ready at (\S+)$/.exec(line) ?? []
  if (target === undefined) continue
  showPage(target).catch(({ message }: Error) => {
    console.error(`The page could not start: ${message}`)
    server.kill('SIGTERM')
  })
}
