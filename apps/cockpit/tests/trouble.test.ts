// Screens for what goes wrong: each says what is the matter and what to do.
import { fabricClient } from 'bridle/client'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describeCockpit, longTest } from './browser.suite.ts'

const signIn = async (page: Page, token: string): Promise<void> => {
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

describeCockpit(
  'trouble',
  (world) => {
    longTest(
      'an unknown session and one of another tenant look alike; a damaged one and a lost server can be tried again',
      async () => {
        for (const [token, id] of [
          ['red-token', 'secret-of-red'],
          ['blue-token', 'mine'],
        ] as const)
          await fabricClient({ url: world.url, authToken: token }).createChat({ agent: 'scripted', session_id: id })
        const page = await world.open('/s/secret-of-red')
        await signIn(page, 'blue-token')
        await page.getByRole('heading', { name: 'There is no such session' }).waitFor()
        await page.goto(`${world.url}/s/nobody-knows-me`)
        await page.getByRole('heading', { name: 'There is no such session' }).waitFor()

        let isDamaged = true
        await page.route('**/chat/sessions/mine?*', (route) =>
          isDamaged
            ? route.fulfill({
                status: 500,
                json: { error: { type: 'internal_error', message: 'Something went wrong here.' } },
              })
            : route.continue(),
        )
        await page.goto(`${world.url}/s/mine`)
        await page.getByRole('heading', { name: 'The session cannot be shown' }).waitFor()
        await page.getByText('The log of the server has the reason').waitFor()
        isDamaged = false
        await page.getByRole('button', { name: 'Try again' }).click()
        await page.getByText('Nothing was said yet').waitFor()

        await world.stopServer()
        await page.getByText('The server does not answer.').waitFor()
        await world.startServer(Number(new URL(world.url).port))
        await page.getByText('The server does not answer.').waitFor({ state: 'detached', timeout: 30_000 })
      },
    )

    test('a page without its socket says that it loads, and not that nothing was said', async () => {
      const page = await world.open('/')
      await signIn(page, 'blue-token')
      // The socket never opens: a ticket that has expired, or a proxy that lets no sockets through.
      await page.routeWebSocket(/\/ws\?/, (socket) => socket.close())
      await page.goto(`${world.url}/s/mine`)
      await page.getByRole('status', { name: 'Loading' }).waitFor()
      expect(await page.getByText('Nothing was said yet').count()).toBe(0)
    })
  },
  {
    tokens: [
      { token: 'red-token', tenants: ['red'] },
      { token: 'blue-token', tenants: ['blue'] },
    ],
  },
)
