// A Hono app with a page and a login of its own, and Bridle below /bridle.
import { readFileSync } from 'node:fs'
import { createHarness, type EmbeddedHarness } from 'bridle/node'
import { Hono } from 'hono'
import { assistant } from './assistant.ts'
import { signIn, userOf } from './login.ts'

const page = readFileSync(new URL('./page.html', import.meta.url), 'utf8')

export const startHarness = (data: string): Promise<EmbeddedHarness> =>
  createHarness({
    agents: [assistant],
    data,
    basePath: '/bridle',
    // The login of the app says who asks. Each user has sessions of their own.
    authenticate: (request) => {
      const user = userOf(request)
      return user === null ? null : { user }
    },
  })

export const createApp = (harness: EmbeddedHarness): Hono => {
  const app = new Hono()
  app.get('/', (c) => c.html(page))
  app.get('/me', (c) => c.json({ user: userOf(c.req.raw) }))
  app.post('/login', async (c) => {
    const { name } = await c.req.parseBody()
    if (typeof name !== 'string' || !/^\w{1,40}$/.test(name)) return c.text('A name has letters and digits.', 400)
    c.header('set-cookie', signIn(name))
    return c.redirect('/')
  })
  // `c.env` has the connection of the request: Bridle counts its limits by address.
  app.all('/bridle/*', (c) => harness.fetch(c.req.raw, c.env))
  return app
}
