// Starts the app: one process, one port, your routes and Bridle.
import { serve } from '@hono/node-server'
import { createApp, startHarness } from './app.ts'

const harness = await startHarness('.bridle')
const server = serve(
  { fetch: createApp(harness).fetch, hostname: '127.0.0.1', port: Number(process.env.PORT ?? 3000) },
  ({ port }) => console.log(`http://127.0.0.1:${port}`),
)
server.on('upgrade', (request, socket, head) => {
  if (!harness.upgrade(request, socket, head)) socket.destroy()
})

const stop = async () => {
  await harness.close({ graceMs: 2_000 })
  server.close()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
