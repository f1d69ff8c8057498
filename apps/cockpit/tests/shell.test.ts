// The frame around the pages: addresses, names, sign-in.
import { fabricClient } from 'bridle/client'
import { expect, test } from 'vitest'
import { describeCockpit, expectNoOverflow, longTest } from './browser.suite.ts'
import { serveBelowPath } from './path-proxy.suite.ts'

describeCockpit('the frame', (world) => {
  test('a deep link opens its page, and the keys open the others', async () => {
    const page = await world.open('/fleet')
    await page.getByRole('heading', { level: 1, name: 'Health' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/inbox')
    const unknown = await world.open('/nowhere')
    await unknown.getByText('There is no such page').waitFor()
  })
})

describeCockpit(
  'a server with a token',
  (world) => {
    test('asks for it, says when it is wrong, and opens with the right one', async () => {
      const page = await world.open('/')
      await page.getByLabel('Token').and(page.locator(':focus')).waitFor()
      await page.getByLabel('Token').fill('wrong')
      await page.getByRole('button', { name: 'Sign in' }).click()
      const problem = page.getByRole('alert')
      await problem.getByText('This token is not valid here.').waitFor()
      const [color, other] = await page.evaluate<string[]>(
        `['[role=alert]', '.state p'].map((each) => getComputedStyle(document.querySelector(each)).color)`,
      )
      expect(color).not.toBe(other)
      for (const [tenant, words] of [
        ['blue', 'Tenant “blue”: This token is not for that tenant.'],
        ['a/b', 'Tenant “a/b”: The tenant is not a valid id.'],
      ] as const) {
        await page.getByLabel('Token').fill('team-token')
        await page.getByLabel(/^Tenant/).fill(tenant)
        await page.getByRole('button', { name: 'Sign in' }).click()
        await problem.getByText(words).waitFor()
        expect(await page.getByLabel(/^Tenant/).getAttribute('aria-invalid')).toBe('true')
      }
      await page.getByLabel(/^Tenant/).fill('')
      await page.getByLabel('Token').fill('right-token')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor()
      // A phone has no side bar: the rest of it is behind the last item of the bar below.
      await page.setViewportSize({ width: 390, height: 844 })
      const more = page.getByRole('button', { name: 'More' })
      const sheet = page.getByRole('dialog', { name: 'More' })
      await more.click()
      await sheet.getByText('can do everything').waitFor()
      await expectNoOverflow(page)
      await sheet.getByRole('button', { name: 'dark' }).click()
      expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
      await page.keyboard.press('Escape')
      await more.and(page.locator(':focus')).waitFor()
      await more.click()
      await sheet.getByRole('link', { name: 'Routes' }).click()
      await page.getByRole('heading', { level: 1, name: 'Routes' }).waitFor()
      expect(await sheet.count()).toBe(0)
      await more.click()
      await sheet.getByRole('link', { name: 'Replay a file' }).waitFor()
      await sheet.getByRole('button', { name: 'Sign out' }).click()
      await page.getByText('Sign in to Bridle').waitFor()
      await page.getByText('token of its data folder').waitFor()
    })

    // A server without a token refuses what a proxy passed on.
    longTest('below a path of a proxy, pages, their files, requests and sockets stay below it', async () => {
      for (const id of ['one', 'two'])
        await fetch(`${world.url}/agents/scripted/${id}`, {
          method: 'POST',
          headers: { authorization: 'Bearer right-token', 'content-type': 'application/json' },
          body: JSON.stringify({ prompt: `Hello from ${id}` }),
        })
      const proxy = await serveBelowPath(world.url)
      const page = await world.open(`${proxy.url}fleet`)
      await page.getByLabel('Token').fill('right-token')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('Live', { exact: true }).waitFor()
      const outside: string[] = []
      page.on('response', (response) => {
        if (!response.url().startsWith(proxy.url)) outside.push(response.url())
        if (response.status() >= 400) outside.push(`${response.status()} ${response.url()}`)
      })
      await page.reload()
      await page.getByText('Live', { exact: true }).waitFor()
      await page.keyboard.press('g')
      await page.keyboard.press('s')
      await page.getByRole('link', { name: 'Hello from two' }).first().click()
      await page.getByLabel('Message').waitFor()
      expect(page.url()).toMatch(`${proxy.url}s/two`)
      expect(outside).toEqual([])
      await page.close()
      proxy.close()
    })

    longTest('signs out into a new page, which has nothing of the one before', async () => {
      const page = await world.open('/fleet')
      await page.getByLabel('Token').fill('right-token')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { level: 1, name: 'Health' }).waitFor()
      await page.evaluate(`globalThis.kept = 'lists, drafts and notes'`)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByText('Sign in to Bridle').waitFor()
      const left = await page.evaluate(`[location.pathname, 'kept' in globalThis, sessionStorage.length]`)
      expect(left).toEqual(['/', false, 0])
    })

    longTest('offers nothing that a token to watch may not do', async () => {
      const owner = fabricClient({ url: world.url, authToken: 'right-token' })
      const prompt = `@script ${JSON.stringify([{ text: 'Ready.' }, { checkpoint: 'begun' }, { approve: 'send' }])}`
      await owner.startBackground({ agent: 'scripted', session_id: 'seen', prompt })
      const page = await world.open('/s/seen?tab=health')
      await page.getByLabel('Token').fill('watch-token')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('You may watch this session.').waitFor()
      await page.getByText('You may watch, but not answer').waitFor()
      await page.getByText('Checkpoint 1').waitFor()
      for (const name of ['Pause', 'Branch', 'Stop', 'New session with this agent', 'Edit this prompt'])
        expect(await page.getByRole('button', { name, exact: true }).count(), name).toBe(0)
      expect(await page.getByRole('button', { name: 'Set a budget' }).isDisabled()).toBe(true)
      expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(0)
    })
  },
  {
    authToken: 'right-token',
    tokens: [
      { token: 'watch-token', scopes: ['observe'] },
      { token: 'team-token', tenants: ['red'] },
    ],
  },
)
