// Agents: what each needs, its input as a form, and a box to try it. Routes: each with a form to send it.
import { agent } from 'bridle'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeCockpit, expectNoOverflow, longTest } from './browser.suite.ts'

const triage = agent({
  name: 'triage',
  description: 'Sorts issues by severity.',
  input: z.object({
    title: z.string().min(3).describe('The title of the issue'),
    count: z.int().min(1).default(1),
    severity: z.enum(['low', 'high']),
    labels: z.array(z.string()).optional(),
    author: z.object({ name: z.string(), isMember: z.boolean() }).optional(),
  }),
  run: async ({ input, session }) => {
    await session.text(`Sorted ${input.title}`)
    return { ...input }
  },
})

const wide = agent({ name: 'w'.repeat(100), description: 'long '.repeat(300), run: () => 'x'.repeat(5_000) })

describeCockpit(
  'agents and routes',
  (world) => {
    test('bad input says where, good input runs and is answered in place', async () => {
      const page = await world.open('/try')
      await page.getByRole('link', { name: /claude.*Not ready/ }).waitFor()
      await page.getByRole('link', { name: /triage/ }).click()
      await page.waitForURL(/\/try\/triage$/)
      await page.getByText('The title of the issue').waitFor()
      await page.getByText('This agent has no sessions yet.').waitFor()

      await page.getByLabel('count').fill('1.5')
      await page.getByLabel('name').fill('ann')
      await page.getByRole('button', { name: 'Try' }).click()
      await page.getByText('This must be a whole number.').waitFor()
      await expect.poll(() => page.getByText('This is required.').count()).toBe(2)
      expect(await page.locator(':focus').getAttribute('id')).toBe('field-title')

      await page.getByLabel('count').fill('2')
      await page.getByLabel('title').fill('no')
      await page.getByLabel('severity').selectOption('high')
      await page.getByRole('button', { name: 'Try' }).click()
      await page.getByRole('region', { name: 'Answer' }).getByText('Failed').waitFor()
      await page.getByRole('alert').waitFor()

      await page.getByLabel('title').fill('Crash on start')
      await page.getByLabel('labels').fill('bug\nurgent')
      await page.getByRole('button', { name: 'Try' }).click()
      const answer = page.getByRole('region', { name: 'Answer' })
      await answer.getByText('Sorted Crash on start').waitFor()
      await answer.getByText('Completed').waitFor()
      expect(JSON.parse(await answer.locator('pre').innerText())).toEqual({
        title: 'Crash on start',
        count: 2,
        severity: 'high',
        labels: ['bug', 'urgent'],
        author: { name: 'ann', isMember: false },
      })
      await answer.getByRole('link', { name: 'Open the session' }).click()
      await page.waitForURL(/\/s\/try-[0-9a-f]+\?agent=triage$/)
      await page.close()
    })

    longTest('JSON is taken too; an unknown agent says so; nothing is wider than its window', async () => {
      const page = await world.open('/try/triage')
      await page.getByRole('button', { name: 'Edit as JSON' }).click()
      await page.getByLabel('Input as JSON').fill('{"title": "A b", ')
      await page.getByRole('button', { name: 'Try' }).click()
      await page.getByText('This is not JSON').waitFor()
      await page.getByLabel('Input as JSON').fill('{"title": "A bug", "severity": "low"}')
      await page.getByRole('button', { name: 'Try' }).click()
      await page.getByText('Sorted A bug').waitFor()

      await page.goto(new URL('/try/nobody', world.url).href)
      await page.getByText('This server has no agent “nobody”').waitFor()
      for (const width of [390, 1440]) {
        const narrow = await world.open(`/try/${wide.name}`, { viewport: { width, height: 900 } })
        await narrow.getByLabel('Prompt').fill('go')
        await narrow.getByRole('button', { name: 'Try' }).click()
        await narrow.getByText('Completed').waitFor()
        await expectNoOverflow(narrow)
      }
      await page.close()
    })

    longTest('every route has a form: a GET, a POST, a stream with a stop, and a DELETE that asks first', async () => {
      const page = await world.open('/routes', { permissions: ['clipboard-read', 'clipboard-write'] })
      await page.getByRole('searchbox').fill('/sessions')
      await page.getByRole('link', { name: 'POST /sessions', exact: true }).click()
      await page.getByLabel(/Body/).fill('{"prompt": ')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByText('The body is not JSON.').waitFor()
      const script = JSON.stringify([{ text: 'Sent from the page.' }, { sleepMs: 60_000 }])
      const body = { agent: 'scripted', session_id: 'by-route', prompt: `@script ${script}` }
      await page.getByLabel(/Body/).fill(JSON.stringify(body))
      await page.getByRole('button', { name: 'Copy as curl' }).click()
      expect(await page.evaluate('navigator.clipboard.readText()')).toContain(`curl -X POST '${world.url}/sessions'`)
      await page.getByRole('button', { name: 'Send' }).click()
      const answer = page.getByRole('region', { name: 'Answer' })
      await answer.getByText('202 Accepted').waitFor()

      await page.getByRole('link', { name: 'GET /sessions/{id}', exact: true }).click()
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByText('“id” is required.').waitFor()
      await page.getByLabel(/^id/).fill('nobody')
      await page.getByRole('button', { name: 'Send' }).click()
      await answer.getByText('404 Not Found').waitFor()
      await page.getByLabel(/^id/).fill('by-route')
      await page.getByRole('button', { name: 'Send' }).click()
      await answer.getByText('200 OK').waitFor()
      expect(await answer.locator('pre').innerText()).toContain('Sent from the page.')

      await page.getByRole('link', { name: 'GET /sessions/{id}/events/stream', exact: true }).click()
      await page.getByLabel(/^id/).fill('by-route')
      await page.getByRole('button', { name: 'Open the stream' }).click()
      await answer.getByText('Sent from the page.').first().waitFor()
      await answer.getByRole('button', { name: 'Stop' }).click()
      await answer.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
      await expectNoOverflow(page)

      await page.getByRole('searchbox').fill('erase')
      await page.getByRole('link', { name: /DELETE/ }).click()
      await page.getByLabel(/^name/).fill('scripted')
      await page.getByLabel(/^id/).fill('by-route')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click()
      await answer.getByText('200 OK').waitFor()
      const { sessions } = await world.client.sessions({ search: 'by-route' })
      expect(sessions).toEqual([])
      await page.close()
    })

    longTest('a link to a route opens it on a phone, and no route is wider', async () => {
      const phone = await world.open('/routes?route=postSessions', { viewport: { width: 390, height: 844 } })
      await phone.getByText('Start a background session').waitFor()
      await phone.getByText('Fields of the body').click()
      await phone.getByText('max_retries').first().waitFor()
      await expectNoOverflow(phone)
      await phone.close()
    })
  },
  { agents: [triage, wide] },
)

describeCockpit(
  'agents in production',
  (world) => {
    test('[H75] a private agent is marked, and its page says what opens it', async () => {
      const opening = /To open it, .*BRIDLE_EXPOSE=triage,wwww/
      for (const width of [390, 1440]) {
        const page = await world.open('/try', { viewport: { width, height: 900 } })
        const tag = page.getByRole('link', { name: /wwww.*Private/ }).getByText('Private')
        await tag.waitFor()
        expect(await tag.getAttribute('title')).toMatch(opening)
        expect(await page.getByRole('link', { name: /triage/ }).innerText()).not.toContain('Private')
        await expectNoOverflow(page)
        await page.getByRole('link', { name: /wwww.*Private/ }).click()
        await page.getByText(opening).waitFor()
        expect(await page.getByRole('button', { name: 'Try', exact: true }).count()).toBe(0)
        await page.getByRole('heading', { name: 'Recent sessions' }).waitFor()
        await expectNoOverflow(page)
        await page.close()
      }
    })
  },
  { agents: [triage, wide], env: { NODE_ENV: 'production', BRIDLE_EXPOSE: 'triage' } },
)
