// The harness with the agent of this folder, and the page in front of it.
import { fileURLToPath } from 'node:url'
import { startDevServer } from 'bridle/node'
import { createServer } from 'vite'

const here = fileURLToPath(new URL('.', import.meta.url))
const env = { BRIDLE_AGENT: 'notes', ...process.env }
const harness = await startDevServer({ agentsRoot: here, watchAgents: true, data: `${here}.bridle`, env })
const page = await createServer({ configFile: `${here}vite.config.ts` })
await page.listen()
page.printUrls()

const stop = async () => {
  await page.close()
  await harness.close()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
