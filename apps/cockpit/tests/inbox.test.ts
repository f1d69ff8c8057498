// The inbox over all sessions: what waits, in which order, and how one gets through it without a mouse.
import type { Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { type CockpitWorld, describeCockpit, expectNoOverflow, longTest } from './browser.suite.ts'

const ask = (tool: string, args: object, more: object = {}) => ({
  approve: tool,
  args,
  reason: `Why ${tool}.`,
  ...more,
})

/** Waits until the server lists as many approvals. */
const waiting = (world: CockpitWorld, count: number) =>
  expect.poll(async () => (await world.client.approvals()).approvals.length, { timeout: 10_000 }).toBe(count)

const card = (page: Page, tool: string) => page.getByRole('article', { name: `Approval needed: ${tool}` })
const rows = (page: Page) => page.getByRole('navigation', { name: 'Approvals, oldest first' }).getByRole('link')

/** Notifications of a tab that nobody looks at: the browser of the tests shows none. */
const recordNotifications = `(() => {
  window.notes = []
  document.hasFocus = () => false
  window.Notification = class {
    static permission = localStorage.getItem('bridle.notify') === 'on' ? 'granted' : 'default'
    static requestPermission = async () => (window.Notification.permission = 'granted')
    constructor(title, { body }) {
      Object.assign(this, { title, body, close: () => {} })
      window.notes.push(this)
    }
  }
})()`

describeCockpit('the inbox', (world) => {
  afterEach(async () => {
    await world.closePages()
    for (const { sessionId, agent } of (await world.client.approvals()).approvals)
      await world.client.remove(agent, sessionId)
  })

  longTest(
    'an empty one says where approvals show up; a hidden one notifies, and a budget is raised there',
    async () => {
      const page = await world.open('/inbox')
      await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
      expect(await page.locator('link[rel=icon]').getAttribute('href')).toMatch(/\/favicon\.svg$/)
      expect(await page.title()).toBe('Inbox · Bridle')
      await page.evaluate(recordNotifications)
      await page.getByRole('button', { name: 'Notify me' }).click()
      await page.getByRole('button', { name: 'Notifications on' }).waitFor()
      await page.goto(new URL('/fleet', world.url).href)
      await page.evaluate(recordNotifications)
      await page.getByText('Live').waitFor()
      for (const id of ['one', 'two'])
        await world.client.startBackground({
          agent: 'scripted',
          session_id: `budget-${id}`,
          title: `Budget ${id}`,
          prompt: `@script ${JSON.stringify([{ usage: { input_tokens: 1, cost_usd: 3 } }, { text: 'Done.' }])}`,
          policy: { health: { max_cost_usd: 2, action: 'request_approval' } },
        })
      await expect
        .poll(() => page.evaluate('window.notes.map(({ title, body }) => [title, body]).sort()'))
        .toEqual([
          ['Approval needed: budget', 'Budget one'],
          ['Approval needed: budget', 'Budget two'],
        ])
      await page.evaluate("window.notes.find(({ body }) => body === 'Budget two').onclick()")
      await page.waitForURL(/\/inbox\?.*s=budget-two/)
      await page.getByRole('article').getByText('is used up').waitFor()
      await page.getByRole('button', { name: 'Raise the limit' }).click()
      await expect.poll(async () => (await world.client.session('budget-two')).status).toBe('completed')
      expect((await world.client.session('budget-one')).status).toBe('awaiting_approval')
      // The history of the next test begins empty.
      await world.client.remove('scripted', 'budget-two')
    },
  )

  test('the keyboard alone leads from another page through three approvals of two sessions', async () => {
    await world.play('deploy', [
      ask('shell', { command: 'make deploy' }, { id: 'call-a' }),
      ask('edit_file', { path: 'a.ts', old_text: 'five', new_text: 'three' }, { id: 'call-b' }),
    ])
    await waiting(world, 1)
    await world.play('triage', [ask('close_issue', { number: 7 }, { expiresMs: 55_000 })])
    await waiting(world, 2)
    const page = await world.open('/fleet')
    const { keyboard } = page
    await page.getByRole('heading', { level: 1, name: 'Health' }).waitFor()
    await keyboard.press('g')
    await keyboard.press('i')
    await card(page, 'shell').waitFor()
    expect(await rows(page).count()).toBe(2)
    expect(await page.title()).toBe('(2) Inbox · Bridle')
    await page.locator('.ib .danger', { hasText: /^\d+ s left$/ }).waitFor()
    expect(await page.locator('link[rel=icon]').getAttribute('href')).toMatch(/\/favicon-waiting\.svg$/)
    // The first row is selected from the start, so Enter opens its card.
    await page.evaluate('document.activeElement?.blur()')
    await keyboard.press('Enter')
    await card(page, 'shell').and(page.locator(':focus')).waitFor()
    const caps = (tool: string) => card(page, tool).locator('.acts .kbd:visible').allInnerTexts()
    expect(await caps('shell')).toEqual(['A', 'E', 'D'])
    // The answers are sticky, and must not cover the ring around the card.
    const ring = `getComputedStyle(document.activeElement, '::after')`
    const answers = `getComputedStyle(document.activeElement.querySelector('.acts'))`
    expect(await page.evaluate(`[${ring}.borderBottomWidth, ${ring}.zIndex > ${answers}.zIndex]`)).toEqual([
      '2px',
      true,
    ])
    // Moving passes by: with the focus in the list the keys of the card decide nothing.
    await keyboard.press('j')
    await card(page, 'close_issue').waitFor()
    expect(await caps('close_issue')).toEqual([])
    await keyboard.press('a')
    await keyboard.press('k')
    await card(page, 'shell').waitFor()
    await waiting(world, 2)
    await keyboard.press('Enter')
    await card(page, 'shell').and(page.locator(':focus')).waitFor()
    // The note is a text field: neither Enter nor a letter in it is an answer.
    await page.getByLabel('Note to the agent').focus()
    await keyboard.type('add')
    await keyboard.press('Enter')
    await waiting(world, 2)
    await card(page, 'shell').focus()
    await page.locator('fieldset.acts:not([disabled])').waitFor()
    await keyboard.press('a')
    await card(page, 'close_issue').and(page.locator(':focus')).waitFor()
    expect(new URL(page.url()).searchParams.get('s')).toBe('triage')
    await page.locator('fieldset.acts:not([disabled])').waitFor()
    await keyboard.press('d')
    await card(page, 'edit_file').waitFor()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
    const { messages } = await world.client.session('deploy')
    expect(messages.at(-1)?.toolCalls?.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['shell', 'ok'],
      ['edit_file', 'ok'],
    ])
    const decided = await world.client.approvals({ status: 'decided' })
    expect(decided.approvals.map(({ toolName, status, decisionReason }) => [toolName, status, decisionReason])).toEqual(
      [
        ['edit_file', 'approved', null],
        ['close_issue', 'denied', null],
        ['shell', 'approved', 'add'],
      ],
    )
    await page.getByText('Decided in the last hour').waitFor()
    expect((await rows(page).allInnerTexts()).join()).not.toContain('somebody')
    await rows(page).filter({ hasText: 'close_issue' }).click()
    await page.getByRole('article', { name: 'Decided: close_issue' }).getByText('denied').first().waitFor()
    // A phone has one column: below the sentence that nothing waits stand the answers.
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('link', { name: 'Inbox' }).click()
    await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
    await rows(page).filter({ hasText: 'edit_file' }).click()
    await page.getByRole('article', { name: 'Decided: edit_file' }).waitFor()
    await expectNoOverflow(page)
  })

  longTest('filters are in the address, and an approval that expires leaves by itself', async () => {
    await world.play('slow', [ask('one', { a: 1 })])
    await world.play('quick', [ask('two', { b: 2 }, { expiresMs: 6_000 })])
    await waiting(world, 2)
    const page = await world.open('/inbox?show=expiring')
    await card(page, 'two').waitFor()
    expect(
      await rows(page)
        .filter({ hasText: /left|expires/ })
        .count(),
    ).toBe(1)
    await page.getByRole('article', { name: 'Decided: two' }).getByText('Expired without an answer').waitFor()
    await page.getByRole('link', { name: 'All', exact: true }).click()
    await card(page, 'one').waitFor()
    expect(new URL(page.url()).searchParams.get('show')).toBeNull()
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
  })

  test('an answer from elsewhere names its person, keeps the edits, and no other approval slips into its place', async () => {
    await world.play('first', [ask('rename', { to: 'a' })])
    await waiting(world, 1)
    await world.play('second', [ask('erase', { all: true })])
    await waiting(world, 2)
    const [one, other] = [await world.open('/inbox'), await world.open('/inbox')]
    await card(other, 'rename').waitFor()
    await card(one, 'rename').getByRole('button', { name: 'Edit' }).click()
    await one.getByRole('textbox', { name: 'to', exact: true }).fill('mine')
    await world.client.reject('first', await approvalId(world, 'rename'), { actor: 'ben', reason: 'not now' })
    for (const page of [one, other]) {
      await page.getByText('ben (not signed in) denied').first().waitFor()
      expect(await card(page, 'erase').count()).toBe(0)
    }
    const settled = one.getByRole('article', { name: 'Decided: rename' })
    await settled.getByText('Your edits were not used.').waitFor()
    await settled.getByText('not now').waitFor()
    await settled.getByRole('button', { name: 'Dismiss' }).click()
    await card(one, 'erase').waitFor()
    // Somebody is faster by a moment: the answer of this tab is on its way when the other one is taken.
    const id = await approvalId(world, 'erase')
    await one.route('**/approvals/*/approve*', async (route) => {
      await world.client.reject('second', id, { actor: 'cleo' })
      await route.continue()
    })
    await card(one, 'erase').getByRole('button', { name: 'Approve', exact: true }).click()
    await one.getByText('cleo (not signed in) denied').first().waitFor()
    await one.getByText('Your answer was not taken: an approval is answered once.').waitFor()
    await other.getByRole('button', { name: 'Dismiss' }).click()
    await other.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
    await waiting(world, 0)
  })

  longTest('on a phone one approval at a time fits the screen, with its answers at hand', async () => {
    await world.play('long', [
      ask('shell', { command: 'echo '.padEnd(9_000, 'x'), ['k'.repeat(500)]: 'y'.repeat(500) }),
      ask('other', {}),
    ])
    await waiting(world, 1)
    for (const size of [
      { width: 390, height: 844 },
      { width: 1440, height: 900 },
    ]) {
      const page = await world.open('/inbox', { viewport: size })
      await card(page, 'shell').waitFor()
      await expectNoOverflow(page)
      const box = await page.getByRole('button', { name: 'Approve', exact: true }).boundingBox()
      expect((box?.y ?? 1e9) + (box?.height ?? 0)).toBeLessThanOrEqual(size.height)
      if (size.width < 700) expect(box?.height).toBeGreaterThanOrEqual(44)
    }
    const page = await world.open('/inbox', { viewport: { width: 390, height: 844 } })
    await page.getByRole('button', { name: 'List' }).click()
    await rows(page).first().click()
    await page.getByRole('button', { name: 'Deny' }).click()
    await card(page, 'other').waitFor()
    await page.getByRole('button', { name: 'List' }).click()
    await rows(page).filter({ hasText: 'denied' }).first().click()
    await page.getByRole('article', { name: 'Decided: shell' }).waitFor()
  })
})

const approvalId = async (world: CockpitWorld, tool: string): Promise<string> =>
  (await world.client.approvals()).approvals.find(({ toolName }) => toolName === tool)?.id ?? ''
