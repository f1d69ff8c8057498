// `npm run dev`: the server with your agents, and the page in front of it. Both take up changes.
import { existsSync } from 'node:fs'
import { startDevServer } from 'bridle/node'
import { createServer } from 'vite'

if (existsSync('.env')) process.loadEnvFile()
const { PORT: port = '4317' } = process.env
const harness = await startDevServer({ port: Number(port), watchAgents: true }).catch((error: Error) => {
  console.error(`The server could not start: ${error.message}. PORT=… chooses another port.`)
  process.exit(1)
})
const page = await createServer({ server: { proxy: { '/ws': { target: harness.url, ws: true } } } })
await page.listen()
console.log(`The cockpit, with all sessions: ${harness.url}\nThe page:`)
page.printUrls()

const stop = async () => {
  await page.close()
  await harness.close()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
