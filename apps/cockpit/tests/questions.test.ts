// Questions and forms of agents: answered in the inbox and in the thread, by pointer and by keyboard, on a screen and on a phone.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CliWorkspace } from '@bridle/cli/cli.suite'
import { fabricClient } from 'bridle/client'
import type { Locator, Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { type CockpitWorld, describeCockpit, expectNoOverflow, longTest } from './browser.suite.ts'
import { builtCockpit } from './built-app.suite.ts'

const options = ['SQLite', 'PostgreSQL', 'MySQL']
const db = { id: 'db', question: 'Which database?', options }
const checks = {
  ...{ id: 'checks', question: 'Which checks can it skip?', options: ['Browser tests', 'Load test'] },
  multi_select: true,
}
const schema = {
  type: 'object',
  required: ['environment', 'replicas'],
  properties: {
    environment: { type: 'string', title: 'Environment', enum: ['staging-eu', 'staging-us'] },
    replicas: { type: 'integer', title: 'Replicas', minimum: 1, maximum: 8 },
    day: { type: 'string', title: 'Day', format: 'date' },
    remove: { type: 'boolean', title: 'Delete it after 24 h', default: true },
  },
}
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true }

const ask = (world: CockpitWorld, id: string, ...steps: readonly object[]): Promise<void> => world.play(id, steps)
const questions = (...asked: readonly object[]) => ({ ask: { questions: asked }, id: 'call-1' })

const card = (page: Page, text: string): Locator => page.getByRole('article', { name: text })
const answerButton = (of: Locator): Locator => of.getByRole('button', { name: /^Answer/ })
/** The card takes answers. */
const ready = async (of: Locator): Promise<Locator> => {
  await of.locator('fieldset.acts:not([disabled])').waitFor()
  return of
}
const waiting = (world: CockpitWorld, count: number) =>
  expect.poll(async () => (await world.client.approvals()).approvals.length, { timeout: 10_000 }).toBe(count)
const results = async (world: CockpitWorld, id: string) =>
  (await world.client.session(id)).messages.at(-1)?.toolCalls?.map(({ outcome, result }) => result ?? outcome)

describeCockpit('questions', (world) => {
  afterEach(async () => {
    await world.closePages()
    for (const { id, agent } of (await world.client.sessions()).sessions) await world.client.remove(agent, id)
  })

  test('[C416] [C424] three sessions with two questions each are answered in the wrong order, by keys and by pointer', async () => {
    const ids = ['first', 'second', 'third']
    for (const [at, id] of ids.entries()) {
      await ask(world, id, questions({ ...db, question: `Which database for ${id}?` }, checks), { text: 'Done.' })
      await waiting(world, at + 1)
    }
    const page = await world.open('/inbox?show=questions')
    const of = (id: string) => card(page, `2 questions: Which database for ${id}?`)
    await of('first').waitFor()
    await page.getByRole('link').filter({ hasText: 'database for third' }).click()
    const third = await ready(of('third'))
    // Both questions of a card are answered together, whichever comes first.
    await third.getByRole('checkbox', { name: 'Load test' }).check()
    await third.getByText('1 question left').waitFor()
    expect(await answerButton(third).isDisabled()).toBe(true)
    await third.getByRole('radio', { name: 'MySQL' }).check()
    await answerButton(third).click()
    await page.getByText('Answered: Which database for third?').waitFor()
    // The keys go from one question to the next.
    const second = await ready(of('second'))
    await second.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('2')
    await page.keyboard.press('1')
    await page.keyboard.press('2')
    await page.keyboard.press('2')
    await page.keyboard.press('Enter')
    await waiting(world, 1)
    const first = await ready(of('first'))
    await page.keyboard.press('d')
    await waiting(world, 0)
    await first.waitFor({ state: 'detached' })
    await expect.poll(async () => (await world.client.session('first')).status).toBe('idle')
    expect(await Promise.all(ids.map((id) => results(world, id)))).toEqual([
      ['denied'],
      [{ answers: { db: 'PostgreSQL', checks: ['Browser tests'] } }],
      [{ answers: { db: 'MySQL', checks: ['Load test'] } }],
    ])
    // The history shows questions with their answers, and so does the thread: neither names a tool.
    await page.getByRole('link').filter({ hasText: 'database for second' }).click()
    const settled = card(page, 'Answered: Which database for second?')
    await settled.getByText('PostgreSQL', { exact: true }).waitFor()
    await settled.getByText('option 2 of 3').waitFor()
    await settled.getByText('Browser tests').waitFor()
    await page.goto(new URL('/s/second', world.url).href)
    const row = page.locator('.tool', { hasText: '2 questions' })
    await row.getByText('answered').waitFor()
    await row.click()
    await page.locator('.tool-body').getByText('Browser tests').waitFor()
    expect(await page.locator('.thread').innerText()).not.toMatch(/\bask\b/)
  })

  longTest('[C421] of two tabs that answer, one is first, and the other keeps what it wrote', async () => {
    await ask(world, 'race', { ...{ ask: 'Why now?', id: 'why' }, allow_free_text: true }, { text: 'Done.' })
    await waiting(world, 1)
    const [one, other] = [await world.open('/inbox'), await world.open('/s/race')]
    for (const [page, text] of [
      [one, 'from one'],
      [other, 'from the other'],
    ] as const) {
      await ready(card(page, 'Question: Why now?'))
      await page.getByRole('textbox', { name: 'Why now?' }).fill(text)
    }
    // The other answer arrives while this one is on its way.
    const [{ id = '' } = {}] = (await world.client.approvals()).approvals
    await one.route('**/answer*', async (route) => {
      await world.client.answer('race', id, { answers: { why: 'from a program' }, actor: 'ben' })
      await route.continue()
    })
    await answerButton(card(one, 'Question: Why now?')).click()
    await one.getByText('ben (not signed in) was first, so your answer was not used.').waitFor()
    await one.getByRole('button', { name: 'Copy my answer' }).waitFor()
    await card(other, 'Question: Why now?').waitFor({ state: 'detached' })
    await expect.poll(() => results(world, 'race')).toEqual([{ answers: { why: 'from a program' } }])
  })

  longTest(
    '[C418] an answer that the server refuses stays on the card, with the reason beside its question',
    async () => {
      await ask(world, 'refused', questions(db, { id: 'host', question: 'Which host?', allow_free_text: true }))
      await waiting(world, 1)
      const page = await world.open('/s/refused')
      const asked = await ready(card(page, '2 questions'))
      await asked.getByRole('radio', { name: 'SQLite' }).check()
      await asked.getByRole('textbox', { name: 'Which host?' }).fill('a.test')
      const message = 'The answer to question "host" is taken already.'
      await page.route('**/answer*', (route) =>
        route.fulfill({ status: 400, json: { error: { type: 'invalid_answer', message } } }),
      )
      await answerButton(asked).click()
      await asked.getByRole('group', { name: 'Which host?' }).getByText(message).waitFor()
      expect(await asked.getByRole('textbox', { name: 'Which host?' }).inputValue()).toBe('a.test')
      await page.unroute('**/answer*')
      await asked.getByRole('textbox', { name: 'Which host?' }).fill('b.test')
      await page.keyboard.press('Control+Enter')
      await expect.poll(() => results(world, 'refused')).toEqual([{ answers: { db: 'SQLite', host: 'b.test' } }])
    },
  )

  longTest('[C417] [C419] a form says what is wrong, keeps what was typed, and has a JSON look', async () => {
    await ask(world, 'form', { ask: { schema }, id: 'form', expiresMs: 3_600_000 })
    await waiting(world, 1)
    const page = await world.open('/s/form')
    const form = await ready(card(page, 'Form: The script asks for values.'))
    await form.getByText('4 fields, 2 required').waitFor()
    await form.getByText('Without an answer in time, the question is declined.').waitFor()
    await form.getByText('2 required fields left').waitFor()
    await form.getByLabel('Environment').selectOption('staging-us')
    await form.getByLabel('Replicas').fill('12')
    await form.getByText('Enter a number from 1 to 8.').waitFor()
    await form.getByText('1 field to fix').waitFor()
    expect(await answerButton(form).isDisabled()).toBe(true)
    // Keys of the card do nothing while a field has the focus.
    await form.getByLabel('Replicas').fill('3d')
    await waiting(world, 1)
    await form.getByLabel('Replicas').fill('3')
    // Another page, a server that comes back, another page again: it is all still there.
    await page.getByRole('link', { name: /^Inbox/ }).click()
    expect(await form.getByLabel('Replicas').inputValue()).toBe('3')
    await world.restart()
    await page.getByText('Live').waitFor()
    await form.getByLabel('Day').fill('2026-11-19')
    await page.goBack()
    await ready(form)
    expect(await form.getByLabel('Replicas').inputValue()).toBe('3')
    expect(await form.getByLabel('Day').inputValue()).toBe('2026-11-19')
    await form.getByRole('button', { name: 'Edit as JSON' }).click()
    const json = form.getByRole('textbox', { name: 'Your values' })
    expect(JSON.parse(await json.inputValue())).toEqual({
      ...{ environment: 'staging-us', replicas: 3, day: '2026-11-19', remove: true },
    })
    await json.fill('{"environment": "staging-eu", "replicas": 9}')
    await form.getByText('Field "replicas" must be at most 8.').waitFor()
    await json.fill('{"environment": "staging-eu", "replicas": 8}')
    await form.getByRole('button', { name: 'Edit as form' }).click()
    expect(await form.getByLabel('Environment').inputValue()).toBe('0')
    await form.getByRole('button', { name: 'Add a note' }).click()
    await form.getByLabel('Note to the agent').fill('Only for today.')
    await form.getByLabel('Replicas').focus()
    await page.keyboard.press('Control+Enter')
    await expect
      .poll(() => results(world, 'form'))
      .toEqual([{ values: { environment: 'staging-eu', replicas: 8, remove: false } }])
    const [settled] = (await world.client.approvals({ status: 'decided' })).approvals
    expect(settled?.decisionReason).toBe('Only for today.')
  })

  longTest(
    '[C420] the default is selected, the card says when it applies, and the question expires with it',
    async () => {
      const asked = {
        ...{ ask: 'Keep the old endpoint?', id: 'keep', options: ['Keep it', 'Remove it'] },
        default: 'Keep it',
      }
      await ask(world, 'expires', { ...asked, expiresMs: 8_000 }, { text: 'Done.' })
      await waiting(world, 1)
      const page = await world.open('/inbox')
      const open = await ready(card(page, 'Question: Keep the old endpoint?'))
      expect(await open.getByRole('radio', { name: 'Keep it' }).isChecked()).toBe(true)
      await open.getByText('default if the question expires').waitFor()
      await open.locator('.danger', { hasText: /expires in \d s/ }).waitFor()
      const expired = card(page, 'Expired: Keep the old endpoint?')
      await expired.getByText('No answer in time. The agent continues with the default.').waitFor()
      await expired.getByText('Keep it').waitFor()
      await expect.poll(() => results(world, 'expires')).toEqual([{ answers: { keep: 'Keep it' } }])
    },
  )

  longTest('[C422] hostile texts are seen to their last character, on a phone too', async () => {
    const label = `${'l'.repeat(196)}-end`
    const hostile = {
      id: 'q1',
      question: `Delete \u202eelif.txt?${'\n'.repeat(80)}<img src=x onerror=alert(1)>`,
      options: [
        { label, description: `${'d'.repeat(10_000)} the end` },
        { label: `a${' '.repeat(100)}b`, description: '<b>bold</b>' },
      ],
    }
    await ask(world, 'hostile', { ...questions(hostile) })
    await waiting(world, 1)
    for (const viewport of [phone.viewport, { width: 1440, height: 900 }]) {
      const page = await world.open('/s/hostile', { viewport })
      const asked = await ready(page.getByRole('article', { name: /^Question: Delete/ }))
      await asked.getByText('⟨U+202E⟩').first().waitFor()
      await asked.getByText('⟨79 empty lines⟩').waitFor()
      await asked.getByText('<img src=x onerror=alert(1)>').first().waitFor()
      await asked.getByText(label, { exact: true }).waitFor()
      await asked.getByText('⟨100 spaces⟩').waitFor()
      await asked.getByText('<b>bold</b>').waitFor()
      await expectNoOverflow(page)
      // Nobody answers before the end of it was on the screen; declining does not wait.
      await asked.getByRole('radio').nth(1).check()
      await asked.getByText('Scroll to the end to answer').waitFor()
      expect(await answerButton(asked).isDisabled()).toBe(true)
      expect(await asked.getByRole('button', { name: 'Decline' }).isEnabled()).toBe(true)
    }
  })

  longTest('[C423] on a phone the card fits the screen, and the dock leads to it', async () => {
    const description = '31 commits, all checks passed on the last run of the night'
    await ask(
      world,
      'phone',
      { text: 'long\n\n'.repeat(200) },
      questions({ ...db, options: options.map((label) => ({ label, description })) }),
    )
    await waiting(world, 1)
    const page = await world.open('/s/phone', phone)
    const asked = card(page, 'Question: Which database?')
    await asked.waitFor({ state: 'attached' })
    await page.evaluate("document.querySelector('.thread').scrollTo(0, 0)")
    const dock = page.locator('.dock')
    await dock.getByText('Which database?').waitFor()
    await dock.getByRole('button', { name: 'Answer' }).click()
    await ready(asked)
    await expectNoOverflow(page)
    for (const control of [answerButton(asked), asked.locator('.question-option > label').first()])
      expect((await control.boundingBox())?.height).toBeGreaterThanOrEqual(44)
    expect(await asked.locator('.kbd:visible').count()).toBe(0)
    await asked.getByText('SQLite').tap()
    await answerButton(asked).tap()
    await expect.poll(() => results(world, 'phone')).toEqual([{ answers: { db: 'SQLite' } }])
  })

  longTest(
    '[C424] keys of the page select options of the first question, and Enter answers only where nothing else has it',
    async () => {
      await ask(world, 'keys', { ask: 'Which?', id: 'which', options, allow_free_text: true }, { text: 'Done.' })
      await waiting(world, 1)
      const page = await world.open('/s/keys')
      const asked = await ready(card(page, 'Question: Which?'))
      await page.evaluate('document.activeElement?.blur()')
      // A link with the focus keeps its Enter.
      await page.getByRole('link', { name: 'Health', exact: true }).first().focus()
      await page.keyboard.press('2')
      expect(await asked.getByRole('radio', { name: 'PostgreSQL' }).isChecked()).toBe(true)
      await asked.and(page.locator(':focus')).waitFor()
      await page.keyboard.press('4')
      await asked.getByRole('textbox', { name: 'Your answer' }).and(page.locator(':focus')).waitFor()
      await page.keyboard.type('1 or d')
      expect(await asked.getByRole('radio', { name: 'Something else' }).isChecked()).toBe(true)
      await page.keyboard.press('Control+Enter')
      await expect.poll(() => results(world, 'keys')).toEqual([{ answers: { which: '1 or d' } }])
    },
  )

  longTest('[C425] lists, palette, audit, timeline, debug and the past show a question as one', async () => {
    await ask(world, 'shown', { ask: 'Which database?', id: 'db', options, default: 'MySQL' }, { text: 'Done.' })
    await waiting(world, 1)
    const page = await world.open('/')
    const listed = page.getByRole('row', { name: /Which database\?/ })
    await listed.getByText('Needs an answer').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByText('Answer Which database?').click()
    await ready(card(page, 'Question: Which database?'))
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('select sqlite')
    await page.keyboard.press('Enter')
    expect(await page.getByRole('radio', { name: 'SQLite' }).isChecked()).toBe(true)
    await answerButton(card(page, 'Question: Which database?')).click()
    await expect.poll(() => results(world, 'shown')).toEqual([{ answers: { db: 'SQLite' } }])
    const { entries } = await world.client.log('shown')
    const asked = entries.find(({ type }) => type === 'approval_required')?.seq
    await page.goto(new URL(`/s/shown?at=${asked}`, world.url).href)
    const past = page.getByRole('article', { name: `Question as it stood at event ${asked}: Which database?` })
    expect(await past.getByRole('radio', { name: 'MySQL' }).isChecked()).toBe(true)
    expect(await past.getByRole('radio', { name: 'SQLite' }).isDisabled()).toBe(true)
    await past.getByText('Answered: SQLite').waitFor()
    await page.goto(new URL('/s/shown?tab=health', world.url).href)
    await page.locator('.audit').getByText('question answered').waitFor()
    await page.goto(new URL('/s/shown?view=timeline', world.url).href)
    await page.locator('.times-row', { hasText: 'Which database?' }).click()
    await page.locator('.call-question').getByText('option 1 of 3').waitFor()
    await page.goto(new URL('/s/shown?view=debug', world.url).href)
    await page.getByRole('row', { name: /Question: Which database\?/ }).waitFor()
    await page.getByRole('row', { name: /Answered: SQLite/ }).waitFor()
  })

  longTest('[C419] the server is killed while a card is open: the same card takes the answer afterwards', async () => {
    const server = new CliWorkspace()
    try {
      const config = `export default { cockpit: ${JSON.stringify(await builtCockpit())} }`
      writeFileSync(join(server.folder, 'bridle.config.mjs'), config)
      await server.boot()
      const client = fabricClient({ url: server.url })
      const script = [{ ask: 'Which database?', id: 'db', options, allow_free_text: true }, { text: 'Done.' }]
      await client.invoke('scripted', 'killed', { prompt: `@script ${JSON.stringify(script)}` }, { async: true })
      const page = await world.open(new URL('/s/killed', server.url).href)
      const asked = await ready(card(page, 'Question: Which database?'))
      await asked.getByRole('radio', { name: 'Something else' }).check()
      await asked.getByRole('textbox', { name: 'Your answer' }).fill('DuckDB')
      await server.kill()
      await asked.getByText('The server does not answer, so this may be old.').waitFor()
      expect(await answerButton(asked).isDisabled()).toBe(true)
      await server.boot()
      await asked.getByText('The server does not answer').waitFor({ state: 'detached' })
      expect(await asked.getByRole('textbox', { name: 'Your answer' }).inputValue()).toBe('DuckDB')
      await answerButton(asked).click()
      await page.getByText('Done.').waitFor()
      const { messages } = await client.session('killed')
      expect(messages.at(-1)?.toolCalls?.map(({ result }) => result)).toEqual([{ answers: { db: 'DuckDB' } }])
    } finally {
      await world.closePages()
      await server.remove()
    }
  })
})
