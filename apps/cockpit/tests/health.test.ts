// The health of a session: why the score is what it is, budgets and their editor, what helps.
import { fabricClient } from 'bridle/client'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describeCockpit, describeLong, expectNoOverflow, expectNoSideScroll, longTest } from './browser.suite.ts'

describeCockpit('the health of a session', (world) => {
  const background = async (id: string, script: readonly object[], more: object = {}): Promise<void> => {
    await world.client.startBackground({
      agent: 'scripted',
      session_id: id,
      prompt: `@script ${JSON.stringify(script)}`,
      ...more,
    })
  }
  const set = async (page: Page, field: string, value: string): Promise<void> => {
    await page.getByRole('form', { name: 'Policy' }).getByLabel(field, { exact: true }).fill(value)
    await page.getByRole('button', { name: 'Save policy' }).click()
  }

  longTest('has reasons with their points, and each opens the event that shows it', async () => {
    await world.play('reasons', [
      { tool: 'run_tests', id: 'bad', outcome: 'error' },
      { usage: { input_tokens: 900, output_tokens: 100, cost_usd: 0.5 } },
      { approve: 'write_file', reason: 'it writes' },
    ])
    const page = await world.open('/s/reasons')
    const score = page.getByRole('region', { name: 'Score' })
    await page.getByRole('button', { name: '1 finding' }).click()
    await score.getByText('1 failed tool call').waitFor()
    await score.getByText('−5').waitFor()
    await score.getByText('waiting for an approval').waitFor()
    // The card is beside it: the advice leads there, and its keys work.
    await score.getByRole('link', { name: 'Answer the approval' }).click()
    await page.locator('article:focus').getByText('Approval needed').waitFor()
    await page.getByRole('img', { name: /^Cost from .* now \$0\.50$/ }).waitFor()
    await page.getByRole('button', { name: 'Show tables' }).click()
    await page.getByRole('table').filter({ hasText: 'Tokens' }).getByText('1000').waitFor()
    await page.getByRole('button', { name: 'Use the whole width' }).click()
    await page.getByText('stuck').waitFor()
    await expectNoOverflow(page)
    await score
      .getByRole('link', { name: /^Event/ })
      .first()
      .click()
    await page.getByRole('region', { name: 'Calls' }).getByText('The call ended in error.').waitFor()
    await page.getByRole('tab', { name: /Health/ }).click()
    await score.getByRole('link', { name: 'Answer the approval' }).click()
    expect(new URL(page.url()).pathname).toBe('/inbox')
  })

  test('sets a budget: a refusal stands beside its field, and its meter says what will happen', async () => {
    await background('budgets', [
      { usage: { input_tokens: 10, cost_usd: 1.71 } },
      { approve: 'go', reason: 'a pause' },
      { usage: { input_tokens: 10, cost_usd: 0.5 } },
      { text: 'done' },
    ])
    const page = await world.open('/s/budgets?tab=health')
    await page.getByText('no budget is set').waitFor()
    await page.getByRole('button', { name: 'Set a budget' }).click()
    const form = page.getByRole('form', { name: 'Policy' })
    await set(page, 'Cost', 'two')
    await form.getByText('Expected a number, or nothing').waitFor()
    await set(page, 'Cost', '-2')
    await form
      .locator('.policy-row', { hasText: 'Cost' })
      .getByRole('alert')
      .getByText(/^(?!.*max_cost).*-2/)
      .waitFor()
    await form.getByRole('button', { name: 'Pause' }).click()
    await set(page, 'Cost', '2')
    const budgets = page.getByRole('region', { name: 'Budgets' })
    const meter = budgets.getByRole('meter', { name: 'Cost' })
    await meter.waitFor()
    expect(await meter.getAttribute('aria-valuetext')).toBe('$1.71 of $2.00')
    await budgets.getByText('will pause at $2.00').waitFor()
    await page.getByRole('region', { name: 'Score' }).getByText('No findings, near a budget').waitFor()
    await page.getByRole('region', { name: 'At a glance' }).getByRole('button', { name: 'near a budget' }).waitFor()
    await budgets.getByText('pauses at a limit').waitFor()
    await page.getByRole('region', { name: 'Audit' }).getByText('policy set').waitFor()
    // The budget is crossed, the session pauses, and the hint resumes it with more.
    const [approval] = (await world.client.session('budgets')).approvals
    await world.client.approve('budgets', approval?.id ?? '')
    await budgets.getByText('limit reached, session paused').waitFor()
    await page.getByRole('region', { name: 'Score' }).getByRole('button', { name: 'Resume' }).click()
    await budgets.getByText(/raised from \$2\.00/).waitFor()
    await expect.poll(async () => (await world.client.session('budgets')).status).toBe('completed')
    // A phone shows the whole limit beside the cost.
    await page.setViewportSize({ width: 390, height: 844 })
    await world.client.setPolicy('budgets', { health: { max_cost_usd: 12_345 } })
    await page.getByRole('region', { name: 'At a glance' }).getByText('of $12').waitFor()
    const hidden = await page.evaluate(
      "Math.max(...[...document.querySelectorAll('.strip .num .trunc')].map((each) => each.scrollWidth - each.clientWidth))",
    )
    expect(hidden).toBe(0)
  })

  longTest(
    'three sessions of different kinds keep their own health, and no page is wider than its window',
    async () => {
      const long = 'x'.repeat(400)
      await background('failed', [{ tool: long, outcome: 'timeout' }, { fail: `${long} <b>bad</b>` }])
      await background('running', [{ text: 'on', chunks: 2 }, { sleepMs: 60_000 }], {
        policy: { health: { max_runtime_minutes: 5 } },
      })
      const hints = { failed: /^Branch from/, reasons: 'Answer the approval', running: null }
      for (const [id, hint] of Object.entries(hints)) {
        const page = await world.open(`/s/${id}?tab=health`)
        if (hint) await page.getByRole('region', { name: 'Score' }).getByText(hint).waitFor()
        else await page.getByText(/^\d+(\.\d)? (s|m) of 5 m$/).waitFor()
        await expectNoSideScroll(page)
        await page.getByRole('button', { name: 'Use the whole width' }).click()
        await page.getByRole('form', { name: 'Policy' }).waitFor()
        for (const width of [1440, 390]) {
          await page.setViewportSize({ width, height: 844 })
          await expectNoOverflow(page)
          await expectNoSideScroll(page)
        }
        await page.close()
      }
      const page = await world.open('/s/failed?tab=health')
      await page
        .getByRole('region', { name: 'Score' })
        .getByRole('button', { name: /^Branch/ })
        .click()
      await page.waitForURL((url) => url.pathname !== '/s/failed')
      await world.client.cancel('running')
    },
  )
})

describeLong(
  'the inspector of somebody who may watch',
  (world) => {
    test('has every control that changes the session off, and says why', async () => {
      const script = [
        { artifact: { name: 'tone', content: 'short', kind: 'memory_proposal' } },
        { usage: { input_tokens: 10 } },
        { sleepMs: 60_000 },
      ]
      const owner = fabricClient({ url: world.url, authToken: 'all-token' })
      await owner.startBackground({
        agent: 'scripted',
        session_id: 'watched',
        prompt: `@script ${JSON.stringify(script)}`,
        policy: { health: { max_cost_usd: 2 } },
      })
      await owner.startBackground({ agent: 'scripted', session_id: 'failed', prompt: '@script [{"fail":"no"}]' })
      await expect.poll(async () => (await owner.session('failed')).status).toBe('failed')
      const page = await world.open('/')
      await page.getByLabel('Token').fill('watch-token')
      await page.getByRole('button', { name: 'Sign in' }).click()
      const expectOff = async (path: string, region: string, ...names: readonly string[]): Promise<void> => {
        await page.goto(new URL(path, world.url).href)
        for (const name of names) {
          const button = page.getByLabel(region, { exact: true }).getByRole('button', { name, exact: true })
          await expect.poll(() => button.isDisabled()).toBe(true)
          expect(await button.getAttribute('title')).toMatch(/may watch/)
        }
      }
      await expectOff('/s/watched?tab=health', 'Budgets', 'Edit policy')
      // Nobody told a cost: the strip and the meter say the same.
      const meter = page.getByLabel('Budgets').getByRole('meter', { name: 'Cost' })
      expect(await meter.getAttribute('aria-valuetext')).toBe('unknown of $2.00')
      await expectOff('/s/watched?tab=work', 'Background session', 'Pause', 'Stop')
      await expectOff('/s/watched?tab=context', 'Proposal tone', 'Accept', 'Reject')
      await expectOff('/s/failed?tab=health', 'Score', 'Branch')
      await expectOff('/fleet', 'Sessions by health', 'Branch')
      await owner.cancel('watched')
    })
  },
  { authToken: 'all-token', tokens: [{ token: 'watch-token', scopes: ['observe'] }] },
)
