// The page as a person uses it, in Chromium, against a real server.

import {
  type RealtimeStub,
  type StubEvent,
  type StubTurn,
  startRealtimeStub,
} from '@bridle/voice/realtime/openai/realtime-stub.suite'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFailed, test } from 'vitest'
import { longTest } from '../../apps/cockpit/tests/browser.suite.ts'
import { recordedMicrophone } from '../../apps/cockpit/tests/microphone.suite.ts'
import { findChromium, needs } from '../../scripts/needs.ts'
import { variants } from '../../scripts/variants.ts'
import { type ChatExample, launch, startChatExample } from './browser.suite.ts'

/** Runs in the page. */
const fitsItsWidth = (element: unknown): boolean => {
  const { scrollWidth, clientWidth } = element as { scrollWidth: number; clientWidth: number }
  return scrollWidth <= clientWidth
}

/** Null: the machine has no recorded voice. */
const microphone = recordedMicrophone('What time is it, and what day is it today?')

describe.skipIf(needs('chromium'))('the chat page', { timeout: 30_000 }, () => {
  let world: ChatExample
  let browser: Browser
  let context: BrowserContext
  let provider: RealtimeStub
  /** The next answer of the provider, from the conversation that it has. */
  let turn: (items: readonly StubEvent[]) => StubTurn
  let heardBytes = 0
  const pages: { page: Page; complaints: string[] }[] = []

  beforeAll(async () => {
    provider = await startRealtimeStub({
      plan: (_n, _session, items) => turn(items),
      onAudio: ({ length }) => {
        heardBytes += length
      },
    })
    const env = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: provider.url, NODE_ENV: 'test' }
    ;[world, browser] = await Promise.all([startChatExample(env), launch(findChromium() as string, microphone ?? [])])
    context = await browser.newContext({ permissions: ['microphone'] })
    // An open page keeps the renderer and its compiled code: each further page costs a third.
    await context.newPage()
  }, 60_000)

  afterEach(async () => {
    opening.length = 0
    const seen = pages.splice(0)
    for (const { page } of seen) await (page.context() === context ? page : page.context()).close()
    expect(seen.flatMap(({ complaints }) => complaints)).toEqual([])
  })

  afterAll(async () => {
    await browser?.close()
    await world?.close()
    await provider?.close()
  })

  let users = 0
  /** The users of this test's pages, also of those that are still being opened. */
  const opening: string[] = []
  const open = async (query = '', user = `u${++users}`) => {
    // The user is a cookie, so two users at once need two contexts.
    const isAlone = opening.every((other) => other === user)
    opening.push(user)
    const page = await (isAlone ? context : await browser.newContext({ permissions: ['microphone'] })).newPage()
    page.setDefaultTimeout(30_000)
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (said) => {
      // The browser itself tells of a connection that failed; here they fail on purpose. A client that then asks why, of a
      // server that is back by now, is told 426: nothing is wrong.
      if (['error', 'warning'].includes(said.type()) && !/WebSocket connection|net::|status of 426/.test(said.text()))
        complaints.push(said.text())
    })
    pages.push({ page, complaints })
    onTestFailed(async () =>
      console.error(
        await page
          .locator('body')
          .innerText()
          .catch(() => ''),
      ),
    )
    await page.goto(`${world.url}/?user=${user}${query}`)
    await pill(page, 'Connection', 'live')
    return page
  }

  test('streams an answer, its thought and its tool', async () => {
    const page = await open()
    await page.getByRole('heading', { name: 'What should be remembered?' }).waitFor()
    await page.getByRole('button', { name: 'What do you know?' }).click()
    await page.getByText('when you are back the answer is here.').waitFor()
    await page.getByRole('region', { name: 'read_notes: done' }).waitFor()
    await page.getByText('Thinking').waitFor()
    await pill(page, 'Session', 'idle')
    await expect.poll(() => page.locator('.bubble').allInnerTexts()).toEqual(['What do you know?'])
    await expect
      .poll(() => page.locator('.answer li').allInnerTexts())
      .toEqual(['The page and the server meet at /ws.'])
  })

  test('asks before it writes; the arguments may be edited, and a second page sees the same', async () => {
    const page = await open()
    const other = await open('', `u${users}`)
    await say(page, 'Remember: tea on Friday')
    await pill(page, 'Session', 'awaiting approval')
    const card = page.getByRole('region', { name: 'write_note: needs approval' })
    await card.getByRole('button', { name: 'Edit' }).click()
    await card.getByRole('textbox', { name: 'Arguments' }).fill('{ "text": ')
    await card.getByRole('button', { name: 'Approve as edited' }).click()
    await card.getByRole('alert').waitFor()
    await card.getByRole('textbox', { name: 'Arguments' }).fill('{ "text": "tea on Sunday" }')
    await card.getByRole('button', { name: 'Approve as edited' }).click()
    await page.getByText('Noted: tea on Sunday').waitFor()
    await other.getByText('Noted: tea on Sunday').waitFor()
    await page.getByRole('region', { name: 'write_note: done' }).waitFor()
  })

  test('takes no for an answer', async () => {
    const page = await open()
    await say(page, 'Remember: nothing')
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('Then I will forget it.').waitFor()
    await page.getByRole('region', { name: 'write_note: denied' }).waitFor()
  })

  test('answers a question and a form, and declines one; an answer that does not fit leaves the card', async () => {
    const page = await open('&agent=scripted')
    const schema = { type: 'object', properties: { port: { type: 'integer' }, host: { type: 'string' } } }
    await script(page, [
      { ask: 'Which <b>database</b>?', id: 'db', options: ['SQLite', 'PostgreSQL'], allow_free_text: true },
      { ask: { schema } },
      { ask: 'Really?', options: ['Yes'] },
      { text: 'Done.' },
    ])
    const card = page.getByRole('region', { name: 'ask: needs an answer' })
    await card.getByText('Which <b>database</b>?').waitFor()
    await card.getByRole('radio', { name: 'PostgreSQL' }).check()
    await card.getByRole('button', { name: 'Answer' }).click()
    await card.getByRole('textbox', { name: 'port' }).fill('many')
    await card.getByRole('button', { name: 'Answer' }).click()
    await page.getByRole('alert').getByText('Field "port" must be a whole number.').waitFor()
    await card.getByRole('textbox', { name: 'port' }).fill('80')
    await card.getByRole('button', { name: 'Answer' }).click()
    await card.getByRole('radio', { name: 'Yes' }).waitFor()
    await card.getByRole('button', { name: 'Decline' }).click()
    await page.getByText('Done.', { exact: true }).waitFor()
    await page.getByRole('region', { name: 'ask: denied' }).waitFor()
    await pill(page, 'Session', 'idle')
    for (const call of await page.getByRole('region', { name: 'ask: done' }).all())
      await call.locator('summary').click()
    const results = await page.getByRole('region', { name: 'ask: done' }).locator('pre').allInnerTexts()
    expect(results.filter((text) => /answers|values/.test(text)).map((text) => JSON.parse(text))).toEqual(
      expect.arrayContaining([{ answers: { db: 'PostgreSQL' } }, { values: { port: 80 } }]),
    )
  })

  test('comes back in mid-stream with nothing lost or doubled; prompts wait and can be taken back', async () => {
    const page = await open('&agent=scripted')
    const words = Array.from({ length: 60 }, (_, index) => `word-${index} `)
    await script(page, [{ text: words.join(''), chunks: 60, everyMs: 50 }])
    await page.locator('.viewport').getByText('word-5').first().waitFor()
    world.cut()
    await pill(page, 'Connection', 'reconnecting')
    await say(page, 'Kept')
    await say(page, 'Not meant')
    await expect.poll(() => page.locator('.held span').allInnerTexts()).toEqual(['Kept', 'Not meant'])
    await page.getByRole('button', { name: 'Take back' }).last().click()
    await expect.poll(() => page.locator('.held span').allInnerTexts()).toEqual(['Kept'])
    world.mend()
    await pill(page, 'Connection', 'live')
    await page.getByText('begin a prompt with @script').waitFor()
    await pill(page, 'Session', 'idle')
    await expect
      .poll(() => page.locator('.answer').first().locator('p').first().innerText())
      .toBe(words.join('').trim())
    await expect
      .poll(() => page.locator('.bubble').allInnerTexts())
      .toEqual([expect.stringContaining('@script'), 'Kept'])
    await expect.poll(() => page.locator('.held').count()).toBe(0)
  })

  longTest('[H134] prompts that wait for a connection survive a reload of the page', async () => {
    const page = await open('&agent=scripted')
    world.cut()
    await pill(page, 'Connection', 'reconnecting')
    await say(page, 'Kept')
    await say(page, 'Not meant')
    await page.reload()
    await expect.poll(() => page.locator('.held span').allInnerTexts()).toEqual(['Kept', 'Not meant'])
    await page.getByRole('button', { name: 'Take back' }).last().click()
    await page.reload()
    await expect.poll(() => page.locator('.held span').allInnerTexts()).toEqual(['Kept'])
    world.mend()
    await pill(page, 'Connection', 'live')
    await page.getByText('begin a prompt with @script').waitFor()
    await expect.poll(() => page.locator('.bubble').allInnerTexts()).toEqual(['Kept'])
    await page.reload()
    await pill(page, 'Connection', 'live')
    await expect.poll(() => page.locator('.bubble').allInnerTexts()).toEqual(['Kept'])
    await expect.poll(() => page.locator('.held').count()).toBe(0)
  })

  longTest('[H135] a user has several threads, and another user has others', async () => {
    const page = await open()
    const other = await open()
    /** Each thread has an address: until it is there, the page is still that of the thread before. */
    const startThread = async () => {
      const before = page.url()
      await page.getByRole('button', { name: 'New thread' }).click()
      await page.waitForURL((url) => url.href !== before)
      await pill(page, 'Connection', 'live')
    }
    await startThread()
    await say(page, 'What do you know?')
    await pill(page, 'Session', 'idle')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByLabel('Title').fill('Garden')
    await page.getByLabel('Title').press('Enter')
    const titles = (where: Page) => where.getByLabel('Threads').locator('option').allInnerTexts()
    await expect.poll(() => titles(page)).toContain('Garden')
    expect(await titles(other)).not.toContain('Garden')
    await startThread()
    await expect.poll(() => page.locator('.bubble').count()).toBe(0)
    await page.getByLabel('Threads').selectOption({ label: 'Garden' })
    await expect.poll(() => page.locator('.bubble').allInnerTexts()).toEqual(['What do you know?'])
    await page.getByRole('button', { name: 'Delete' }).click()
    await pill(page, 'Connection', 'live')
    await expect.poll(() => titles(page)).not.toContain('Garden')
    expect(await page.locator('body').evaluate(fitsItsWidth)).toBe(true)
  })

  test('an approval outlives the server', async () => {
    const page = await open('&agent=scripted')
    await script(page, [{ approve: 'deploy', args: { to: 'production' } }, { text: 'Deployed.' }])
    const card = page.getByRole('region', { name: 'deploy: needs approval' })
    await card.waitFor()
    await world.restart()
    await pill(page, 'Connection', 'live')
    await card.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Deployed.', { exact: true }).waitFor()
    await pill(page, 'Session', 'idle')
  })

  longTest('an agent that does not exist: the page says which there are', async () => {
    const page = await open('&agent=scripted')
    await page.goto(page.url().replace('agent=scripted', 'agent=nobody'))
    await pill(page, 'Connection', 'closed')
    await page.getByRole('alert').filter({ hasText: 'There is no agent nobody; there are ' }).waitFor()
  })

  longTest('at 390 pixels the words of an edited approval are whole', async () => {
    const page = await open('&agent=scripted')
    await page.setViewportSize({ width: 390, height: 800 })
    await script(page, [{ approve: 'deploy', args: { to: 'production' } }])
    const card = page.getByRole('region', { name: 'deploy: needs approval' })
    await card.getByRole('button', { name: 'Edit' }).click()
    const heightOf = async (name: string) => (await page.getByRole('button', { name }).boundingBox())?.height
    const [edited, undo, deny, stop] = await Promise.all(
      ['Approve as edited', 'Undo edit', 'Deny', 'Stop'].map(heightOf),
    )
    expect([edited, undo, deny]).toEqual([stop, stop, stop])
    await card.getByRole('button', { name: 'Deny' }).click()
    await pill(page, 'Session', 'idle')
  })

  test.each([...variants([390], [1280])])(
    'at %i pixels nothing makes the page wider than its window, and Deny can be clicked',
    async (width) => {
      const page = await open('&agent=scripted')
      await page.setViewportSize({ width, height: 800 })
      const widest = () =>
        page.evaluate<number>('Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)')
      const code = (length: number) => `\`\`\`\n${'const x = 1; '.repeat(length / 13)}\n\`\`\`\n`
      await script(page, [{ text: `Lines:\n\n${[60, 120, 200, 400].map(code).join('\n')}${'w'.repeat(300)}` }])
      await pill(page, 'Session', 'idle')
      await page.locator('.answer pre').first().waitFor()
      expect(await widest()).toBe(width)
      const asked = [
        {
          approve: 'bash',
          args: { command: `cd packages && ${'npm run build && '.repeat(5)}rm -rf /important/folder` },
        },
        { approve: 'write_file', args: { path: 'a.txt', content: 'x'.repeat(480) } },
        {
          approve: 'a_tool_with_a_very_long_name_that_nobody_would_give_to_a_tool_really',
          args: { list: ['y'.repeat(90)] },
        },
      ]
      for (const step of asked) {
        await script(page, [{ ...step, reason: 'r'.repeat(120) }, { text: `After ${step.approve}.` }])
        const card = page.getByRole('region', { name: `${step.approve}: needs approval` })
        await card.waitFor()
        expect(await widest()).toBe(width)
        // Every character is there to be read, without a bar to scroll it sideways.
        for (const part of ['pre', '.head']) expect(await card.locator(part).evaluate(fitsItsWidth)).toBe(true)
        await card.getByRole('button', { name: 'Deny' }).click({ timeout: 5_000 })
        await page.getByText(`After ${step.approve}.`, { exact: true }).waitFor()
        await pill(page, 'Session', 'idle')
        expect(await widest()).toBe(width)
      }
    },
  )

  test('welcomes to the agent of the address, and stops it', async () => {
    const page = await open('&agent=scripted')
    await page.getByRole('heading', { name: 'Talk to scripted' }).waitFor()
    await expect.poll(() => page.locator('.welcome button').allInnerTexts()).toEqual(['Hello'])
    await script(page, [{ text: 'on and on '.repeat(500), chunks: 500, everyMs: 20 }])
    await page.getByText('on and on').last().waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped.').waitFor()
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
  })

  test('is spoken with where the server says so, and a line that the server refuses is a sentence', async () => {
    const page = await open()
    await page.getByRole('textbox', { name: 'Prompt' }).waitFor()
    expect(await page.getByRole('button', { name: 'Hold to talk' }).count()).toBe(0)
    await page.route('**/agents', (route) => route.fulfill({ json: { agents: [{ name: 'notes', voice: 'cascade' }] } }))
    await page.reload()
    await page.getByRole('button', { name: 'Hold to talk' }).focus()
    await page.keyboard.down('Space')
    await page.getByRole('region', { name: 'Voice' }).getByText('closed').waitFor()
    await page.getByRole('alert').waitFor()
    await page.keyboard.up('Space')
  })

  test.skipIf(needs('espeak-ng'))(
    '[V83] is spoken with: it hears, shows the words of the answer as they come, and a typed prompt goes on',
    async () => {
      const page = await open('&agent=voice')
      const bar = page.getByRole('region', { name: 'Voice' })
      const rest = Promise.withResolvers<void>()
      const pause = { after: 2, until: rest.promise }
      turn = () => ({ heard: 'What time is it?', says: 'It is noon now.', pause })
      await bar.getByRole('button', { name: 'Hold to talk' }).focus()
      await page.evaluate(RECORD_PHASES)
      await page.keyboard.down('Space')
      await bar.getByRole('status').getByText('hearing you').waitFor()
      const before = heardBytes
      await expect.poll(() => heardBytes - before).toBeGreaterThan(24_000)
      const level = () => bar.getByRole('meter', { name: 'Microphone' }).getAttribute('value')
      await expect.poll(async () => Number(await level())).toBeGreaterThan(0.01)
      await page.keyboard.up('Space')
      await expect.poll(() => page.locator('.answer').allInnerTexts()).toEqual(['It is'])
      await expect.poll(() => page.evaluate<string[]>('phases')).toContain('speaking')
      expect(await page.locator('.bubble').allInnerTexts()).toEqual(['What time is it?'])
      rest.resolve()
      await bar.getByRole('status').getByText('hold the button to talk').waitFor()
      await pill(page, 'Session', 'idle')
      turn = (items) => ({ says: JSON.stringify(items).includes('It is noon now.') ? 'Four hours later.' : 'Lost.' })
      await say(page, 'And tea?')
      await expect.poll(() => page.locator('.bubble').allInnerTexts()).toEqual(['What time is it?', 'And tea?'])
      await page.getByText('Four hours later.', { exact: true }).waitFor()
      await pill(page, 'Session', 'idle')
      expect(await page.locator('.answer p').allInnerTexts()).toEqual(['It is noon now.', 'Four hours later.'])
    },
  )

  if (microphone !== null)
    longTest('[V83] three people speak hands-free at once, and each reads their own conversation', async () => {
      turn = () => ({ heard: 'Which day is it?', says: 'It is Monday.' })
      const opened = await Promise.all([1, 2, 3].map(() => open('&agent=voice')))
      for (const page of opened) await page.getByRole('checkbox', { name: 'Hands-free' }).check()
      for (const page of opened) {
        await page.getByText('It is Monday.').first().waitFor()
        await page.getByRole('checkbox', { name: 'Hands-free' }).uncheck()
        await page.getByRole('status').getByText('hold the button to talk').waitFor()
        await pill(page, 'Session', 'idle')
      }
      for (const [index, page] of opened.entries()) {
        turn = () => ({ says: `Answer ${index}.` })
        await say(page, `Prompt ${index}`)
        await page.getByText(`Answer ${index}.`, { exact: true }).first().waitFor()
        expect(
          await page
            .locator('.bubble')
            .getByText(/^Prompt/)
            .allInnerTexts(),
        ).toEqual([`Prompt ${index}`])
      }
    })

  longTest('edits a question and asks again', async () => {
    const page = await open()
    await say(page, 'Remember: a typpo')
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('Then I will forget it.').waitFor()
    await pill(page, 'Session', 'idle')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Edited prompt' }).fill('Remember: no typo')
    await page.getByRole('button', { name: 'Ask again' }).click()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Noted: no typo').waitFor()
    await expect.poll(() => page.locator('.bubble').allInnerTexts()).toEqual(['Remember: no typo'])
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('region', { name: 'write_note: needs approval' }).waitFor()
    await expect.poll(() => page.locator('.answer').count()).toBe(1)
  })
})

/** Every state that the page shows: a short one is over before a busy machine looks. */
const RECORD_PHASES = `{
  globalThis.phases = []
  const bar = document.querySelector('.voice')
  const record = () => phases.push(bar.querySelector('[role=status]')?.innerText ?? '')
  new MutationObserver(record).observe(bar, { subtree: true, childList: true, characterData: true })
}`

const say = async (page: Page, prompt: string): Promise<void> => {
  const field = page.getByRole('textbox', { name: 'Prompt', exact: true })
  await field.fill(prompt)
  await field.press('Enter')
}

const script = (page: Page, steps: readonly object[]): Promise<void> => say(page, `@script ${JSON.stringify(steps)}`)

const pill = (page: Page, name: string, text: string): Promise<void> =>
  page.getByRole('status', { name }).getByText(text, { exact: true }).waitFor()
