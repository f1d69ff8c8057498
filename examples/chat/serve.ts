// The harness with the agent of this folder, and the page in front of it.
import { fileURLToPath } from 'node:url'
import { startDevServer } from 'bridle/node'
import { createLogger, createServer } from 'vite'
import { authenticate } from './login.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const env: NodeJS.ProcessEnv = { BRIDLE_AGENT: 'notes', ...process.env }
// Any free port: the one of `npm start` may be taken, and the page asks its own origin.
const harness = await startDevServer({
  port: 0,
  agentsRoot: here,
  watchAgents: true,
  data: env.BRIDLE_DATA ?? `${here}.bridle`,
  env,
  authenticate,
})
// A tab that is closed cuts its socket. Vite would print two stacks for it.
const customLogger = createLogger()
const { error: printError } = customLogger
customLogger.error = (text, options) => {
  const { code } = (options?.error ?? {}) as NodeJS.ErrnoException
  if (code !== 'ECONNRESET' || !text.includes('ws proxy')) printError(text, options)
}
const page = await createServer({
  customLogger,
  configFile: `${here}vite.config.ts`,
  server: {
    proxy: Object.fromEntries(
      ['/ws', '/agents', '/sessions', '/chat', '/changes'].map((path) => [path, { target: harness.url, ws: true }]),
    ),
  },
})
await page.listen()
page.printUrls()

const stop = async () => {
  await page.close()
  await harness.close()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
