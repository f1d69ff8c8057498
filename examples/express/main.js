// An Express app with a parser, routes and a login of its own, and Bridle below /bridle.
import { randomUUID } from 'node:crypto'
import { agent } from 'bridle'
import { createHarness } from 'bridle/node'
import express from 'express'

const assistant = agent({
  name: 'assistant',
  description: 'Remembers what you say, and publishes it if you approve.',
  run: async ({ input, session }) => {
    const said = (await session.messages()).filter(({ role }) => role === 'user')
    if (input.prompt !== 'publish') return session.text(`Noted, that makes ${said.length}.`)
    const { approved, args } = await session.approval({
      subject: 'publish',
      args: { title: said[0]?.content ?? '' },
      reason: 'Everybody will be able to read it.',
    })
    return session.text(approved ? `Published "${args.title}".` : 'Not published.')
  },
})

// The login: a name, and a cookie. Put yours here.
const users = new Map()
const userOf = (cookie) => users.get(/(?:^|;\s*)session=([^;]+)/.exec(cookie ?? '')?.[1])

const harness = await createHarness({
  agents: [assistant],
  data: process.env.DATA ?? '.bridle',
  basePath: '/bridle',
  authenticate: (request) => {
    const user = userOf(request.headers.get('cookie'))
    return user === undefined ? null : { user }
  },
})

const app = express()
app.use(express.json())
app.get('/me', (request, response) => response.json({ user: userOf(request.headers.cookie) ?? null }))
app.post('/login', (request, response) => {
  const session = randomUUID()
  users.set(session, String(request.body.name))
  response.setHeader('set-cookie', `session=${session}; HttpOnly; SameSite=Lax; Path=/`)
  response.json({ user: request.body.name })
})
app.use('/bridle', harness.handle)

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () =>
  console.log(`The app is ready at http://127.0.0.1:${server.address().port}`),
)
server.on('upgrade', (request, socket, head) => {
  if (!harness.upgrade(request, socket, head)) socket.destroy()
})

const stop = async () => {
  await harness.close({ graceMs: 2_000 })
  server.close()
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)
