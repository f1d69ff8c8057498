// Starts the app: one process, one port, your routes and Bridle.
import { fileURLToPath } from 'node:url'
import { serve } from '@hono/node-server'
import { createApp, startHarness } from './app.ts'

// Beside the app, wherever it is started: the sessions of another server are none of its users'.
const harness = await startHarness(fileURLToPath(new URL('.bridle', import.meta.url)))
const server = serve(
  { fetch: createApp(harness).fetch, hostname: '127.0.0.1', port: Number(process.env.PORT ?? 3000) },
  ({ port }) => console.log(`The app is ready at http://127.0.0.1:${port}`),
)
server.on('upgrade', (request, socket, head) => {
  if (!harness.upgrade(request, socket, head)) socket.destroy()
})

const stop = async () => {
  await harness.close({ graceMs: 2_000 })
  server.close()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
