// The harness with the agent of this folder, and the page in front of it.
import { fileURLToPath } from 'node:url'
import { startDevServer } from 'bridle/node'
import { createServer } from 'vite'
import { authenticate } from './login.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const env = { BRIDLE_AGENT: 'notes', ...process.env }
// Any free port: the one of `npm start` may be taken, and the page asks its own origin.
const harness = await startDevServer({
  port: 0,
  agentsRoot: here,
  watchAgents: true,
  data: `${here}.bridle`,
  env,
  authenticate,
})
const page = await createServer({
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
