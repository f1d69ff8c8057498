// The thread of a session: text while it comes, calls, hostile contents, and a server that goes away in between.
import { agent, subagent, tool } from 'bridle'
import { fabricClient } from 'bridle/client'
import { scriptedModel } from 'bridle/testing'
import type { Page, WebSocketRoute } from 'playwright-core'
import { expect, test } from 'vitest'
import { eventPlaces } from '../src/session/thread/event-places.ts'
import { describeCockpit, expectNoOverflow, longTest } from './browser.suite.ts'

const PHONE = { viewport: { width: 390, height: 844 } }

const MARKDOWN = `Two **places** and [the handbook](https://example.com/retry).

| file | attempts |
| --- | ---: |
| retry.yaml | 5 |

\`\`\`ts
const attempts = 5
\`\`\`

1. first
2. second
`

const HOSTILE = [
  '<img src=x onerror="window.broken = 1"><script>window.broken = 1</script>',
  '[click](javascript:window.broken=1) ![picture](https://evil.example/p.png)',
  '[bank.example](https://evil.example/login)',
  'user\u202etxt.exe and \u001b[31mred',
].join('\n\n')

/** The longest result, which no prompt could carry. */
const verbose = agent({
  name: 'verbose',
  run: async ({ session }) => {
    await session.tool('list', { path: '/' }, () => 'line of output\n'.repeat(350_000))
    await session.text('Listed.')
    return 'Listed.'
  },
})

const helper = (name: string) =>
  agent({ name, description: `Helps as ${name}.`, model: scriptedModel([{ text: `${name} helped.` }]) })

const lead = agent({
  name: 'lead',
  model: scriptedModel([
    { calls: ['reader', 'writer'].map((name) => ({ tool: `ask_${name}`, input: { task: 'help' } })) },
    { text: 'All were asked.' },
  ]),
  use: [subagent({ agents: [helper('reader'), helper('writer')] })],
})

/** Asks a clerk, who asks a person. */
const desk = agent({
  name: 'desk',
  model: scriptedModel([{ calls: [{ tool: 'ask_clerk', input: { task: 'send' } }] }, { text: 'The letter is out.' }]),
  use: [
    subagent({
      agents: [
        agent({
          name: 'clerk',
          description: 'Sends letters.',
          tools: [tool({ name: 'send', description: 'Sends a letter.', approve: true, run: () => 'sent' })],
          model: scriptedModel([{ calls: [{ tool: 'send', input: { to: 'Ada' } }] }, { text: 'Sent.' }]),
        }),
      ],
    }),
  ],
})

const conversation = (page: Page) => page.getByRole('log', { name: 'Conversation' })
const rows = (page: Page) => conversation(page).locator('button.tool')

describeCockpit(
  'the thread',
  (world) => {
    test('shows markdown, thoughts, calls by their ids, and the markers between them', async () => {
      await world.play('read', [
        { thinking: 'Two sources of truth.' },
        { event: { type: 'reflection', payload: { text: 'Both must change.' } } },
        { event: { type: 'retrieval', payload: { citations: [{ title: 'Retry policy', path: 'handbook.md' }] } } },
        { text: MARKDOWN, chunks: 30 },
        { tool: 'run', id: 'c1', args: { command: 'npm test' }, result: { stdout: '61 passed', exit_code: 0 } },
        { tool: 'run', id: 'c2', args: { command: 'npm run lint' }, result: 'bad', outcome: 'error' },
        { tool: 'edit', id: 'c3', args: { path: 'retry.ts', old_text: 'attempts: 5', new_text: 'attempts: 3' } },
        { checkpoint: 'config changed' },
        { event: { type: 'context_compacted', payload: { original_count: 46, compacted_count: 18 } } },
        { directive: { action_type: 'render_message', payload: { text: 'hello' } } },
        { artifact: { name: 'report.md', content: 'All is well.' } },
        { text: 'Done.' },
      ])
      const page = await world.open('/s/read')
      const thread = conversation(page)
      await thread.getByText('Done.', { exact: true }).waitFor()
      expect(await thread.getByRole('cell', { name: '5', exact: true }).count()).toBe(1)
      const link = thread.getByRole('link', { name: 'the handbook' })
      expect(await link.getAttribute('rel')).toContain('noopener')
      expect(await thread.locator('.code-h', { hasText: 'ts' }).getByRole('button', { name: 'Copy' }).count()).toBe(1)

      await thread.getByRole('button', { name: /^Thought/ }).click()
      await thread.getByText('Two sources of truth.', { exact: true }).waitFor()
      await thread.getByRole('button', { name: /^Reflection/ }).waitFor()
      await thread.getByRole('button', { name: /1 citation/ }).click()
      await thread.getByText('handbook.md', { exact: true }).waitFor()

      const calls = await page.evaluate("[...document.querySelectorAll('button.tool')].map((row) => row.dataset.call)")
      expect(calls).toEqual(['c1', 'c2', 'c3'])
      expect(await rows(page).locator('.out').allInnerTexts()).toEqual(['ok', 'error', 'ok'])
      await rows(page).nth(0).click()
      await thread.getByText('$ npm test').waitFor()
      await thread.getByText('61 passed', { exact: true }).waitFor()
      const body = thread.locator('.tool-body')
      expect(await body.getByText('"stdout"').count()).toBe(0)
      await thread.getByRole('button', { name: 'Show JSON' }).click()
      await body.getByText('"stdout"').waitFor()
      await rows(page).nth(2).click()
      await thread.locator('.diff .add', { hasText: 'attempts: 3' }).waitFor()

      const marks = await thread.locator('.mark').allInnerTexts()
      expect(marks.map((mark) => mark.split('·')[0]?.trim())).toEqual([
        'Checkpoint 1',
        'Context compacted',
        'Directive render_message',
      ])
      await thread.getByRole('button', { name: 'Show', exact: true }).click()
      await thread.getByText('All is well.', { exact: true }).waitFor()
    })

    longTest(
      '[F60] a checkpoint stands between the text before it and the text after it, now and after a reload',
      async () => {
        const script = (name: string) => [
          { text: `${name} begins.` },
          { checkpoint: `${name} first` },
          { text: '\n\nMore follows.' },
          { tool: 'run', id: 'c1', args: { command: 'ls' }, result: 'a' },
          { text: 'It was listed.' },
          { checkpoint: `${name} second` },
          { text: ' The end.' },
        ]
        const order = (page: Page) =>
          page.evaluate(
            "[...document.querySelector('[role=log] .answer:last-of-type').querySelectorAll('.md > p, .mark b, button.tool')].map((each) => each.innerText.split('\\n')[0].trim())",
          )
        await world.ask('scripted', 'places', `@script ${JSON.stringify(script('One'))}`)
        await world.ask('scripted', 'places', `@script ${JSON.stringify(script('Two'))}`)
        const page = await world.open('/s/places')
        await conversation(page).getByText('Two begins.', { exact: true }).waitFor()
        const expected = ['begins.', 'Checkpoint', 'More follows.', 'run', 'It was listed.', 'Checkpoint', 'The end.']
        const shown = async () => ((await order(page)) as string[]).map((text) => text.replace(/^Two | \d+$/g, ''))
        await expect.poll(shown).toEqual(expect.arrayContaining(['Checkpoint']))
        expect((await shown()).slice(0, expected.length)).toEqual(expected)
        await page.reload()
        await expect.poll(async () => (await shown()).slice(0, expected.length)).toEqual(expected)
      },
    )

    longTest('a branch that leaves an open approval says below its line that the question stayed', async () => {
      await world.play('asks', [{ text: 'May I?' }, { approve: 'edit_file', id: 'c1', args: { path: 'a.ts' } }])
      const page = await world.open('/s/asks')
      await page.getByRole('article', { name: /Approval needed/ }).waitFor()
      await page.getByRole('region', { name: 'At a glance' }).getByRole('button', { name: 'Branch' }).click()
      const answer = page.getByRole('article', { name: 'Answer' })
      await answer.getByText('The approval stayed with the session that was branched').waitFor()
      const text = await answer.innerText()
      const places = ['May I?', 'edit_file', 'The branch begins here', 'Branched', 'The approval stayed'].map((words) =>
        text.indexOf(words),
      )
      expect(places).toEqual(places.toSorted((one, other) => one - other))
      expect(text).not.toMatch(/Approved|Denied|error/)
      await page.close()
    })

    longTest('hostile and endless contents are text, and no wider than the window', async () => {
      const long = 'x'.repeat(3_000)
      await world.play('hostile', [
        {
          text: `${HOSTILE}\n\n${long}\n\n| ${long} | b |\n| --- | --- |\n| c | ${long} |\n\n\`\`\`\n${long}\n\`\`\`\n\n\`${long}\``,
        },
        {
          tool: `<b>${long}`,
          id: 'c1',
          args: { command: `echo ${long}\u202e` },
          result: '<script>window.broken = 1</script>',
        },
        { event: { type: 'context_warning', payload: { message: `<i>${long}` } } },
        { event: { type: 'retrieval', payload: { citations: [{ title: long, path: `<b>${long}` }] } } },
        { checkpoint: long },
        { text: 'End.' },
      ])
      for (const options of [{}, PHONE]) {
        const page = await world.open('/s/hostile', options)
        const thread = conversation(page)
        await thread.getByText('End.', { exact: true }).waitFor()
        await rows(page).first().click()
        await thread.getByText('Output', { exact: true }).waitFor()
        await expectNoOverflow(page)
        expect(await page.evaluate('window.broken')).toBeUndefined()
        expect(await thread.locator('img, script, iframe').count()).toBe(0)
        expect(await thread.locator('a[href^="javascript"]').count()).toBe(0)
        const text = await thread.innerText()
        expect(text).toContain('<script>window.broken = 1</script>')
        expect(text).toContain('user⟨U+202E⟩txt.exe and ⟨U+001B⟩[31mred')
        expect(text).toContain('bank.example (evil.example)')
        const overflow =
          "(() => { const log = document.querySelector('[role=log]'); return log.scrollWidth - log.clientWidth })()"
        expect(await page.evaluate(overflow)).toBe(0)
        await page.close()
      }
    })

    test('[F61] a call that asks another agent leads to the session that does it', async () => {
      await world.ask('lead', 'lead-one', 'Ask both.')
      const page = await world.open('/s/lead-one')
      const thread = conversation(page)
      await thread.getByText('All were asked.', { exact: true }).waitFor()
      await thread.getByRole('link', { name: 'Session of lead.reader' }).waitFor()
      await thread.getByRole('link', { name: 'Session of lead.writer' }).click()
      await page.waitForURL(/\/s\/task-\w+\?agent=lead\.writer/)
      await thread.getByText('writer helped.', { exact: true }).waitFor()
    })

    test('[S77] what a sub-agent asks is a card of the thread: it names the agent, and takes the answer', async () => {
      await fabricClient({ url: world.url }).invoke('desk', 'desk-one', { prompt: 'Write.' }, { async: true })
      const page = await world.open('/s/desk-one')
      const card = conversation(page).getByRole('article', { name: 'Approval needed: send' })
      const link = card.getByRole('link', { name: 'desk.clerk' })
      await link.waitFor()
      expect(await link.getAttribute('href')).toMatch(/^(\/cockpit)?\/s\/task-\w+\?agent=desk\.clerk$/)
      const inbox = await card.getByRole('link', { name: 'open in inbox' }).getAttribute('href')
      expect(inbox).toContain('agent=desk.clerk')
      const phone = await world.open('/s/desk-one', PHONE)
      await conversation(phone).getByText('asked by desk.clerk').waitFor()
      await expectNoOverflow(phone)
      await card.getByRole('button', { name: 'Approve', exact: true }).click()
      await conversation(page).getByText('The letter is out.', { exact: true }).waitFor()
      expect(await card.count()).toBe(0)
    })

    longTest('five megabytes of output are shown by steps', async () => {
      await world.ask('verbose', 'verbose', 'List everything.')
      const page = await world.open('/s/verbose')
      const thread = conversation(page)
      await rows(page).first().click()
      await thread.getByText('artifact', { exact: true }).waitFor()
      await thread.getByRole('button', { name: 'Show', exact: true }).click()
      await thread.getByRole('button', { name: 'Show more, 5.2 MB left' }).click()
      await thread.getByRole('button', { name: 'Show more, 5.1 MB left' }).waitFor()
      expect((await thread.innerText()).length).toBeLessThan(150_000)
    })

    longTest('a long conversation comes by steps upwards, and its scroll is never stolen', async () => {
      const say = (text: string) => world.ask('scripted', 'long', `@script ${JSON.stringify([{ text }])}`)
      for (let turn = 0; turn < 60; turn++) await say(`Answer ${turn}.`)
      const page = await world.open('/s/long')
      const thread = conversation(page)
      const atTop = "document.querySelector('[role=log]').scrollTop"
      await thread.getByText('Answer 59.', { exact: true }).waitFor()
      expect(await thread.getByRole('article', { name: 'Prompt' }).count()).toBeLessThan(60)
      await expect
        .poll(async () => {
          await page.evaluate(`${atTop} = 0`)
          return thread.getByText('Answer 0.', { exact: true }).count()
        })
        .toBe(1)
      await page.evaluate(`${atTop} = 300`)
      await say('One more.')
      await page.getByRole('button', { name: 'Jump to latest (2 new)' }).waitFor()
      expect(await page.evaluate(atTop)).toBeLessThan(1_000)
      await page.getByRole('button', { name: 'Jump to latest (2 new)' }).click()
      await say('The last one.')
      await expect.poll(() => page.getByText('The last one.', { exact: true }).isVisible()).toBe(true)
      await page.getByRole('button', { name: /Jump to latest/ }).waitFor({ state: 'detached' })
    })

    test('a connection that breaks in mid-stream, and a tab that nobody sees, lose and double nothing', async () => {
      const words = Array.from({ length: 120 }, (_, n) => `w${n}`).join(' ')
      const script = [{ text: words, chunks: 80, everyMs: 50 }, { text: '\n\nEnd.' }]
      const pages = await Promise.all([world.open('/'), world.open('/')])
      const [page, hidden] = pages
      const sockets: WebSocketRoute[] = []
      for (const each of pages)
        await each.routeWebSocket(/\/ws\?/, (socket) => {
          socket.connectToServer()
          sockets.push(socket)
        })
      await Promise.all([world.play('cut', script), world.play('hidden', script)])
      await Promise.all([page.goto(`${world.url}/s/cut`), hidden.goto(`${world.url}/s/hidden`)])
      await hidden.evaluate(
        "Object.defineProperty(document, 'hidden', { get: () => true }); document.dispatchEvent(new Event('visibilitychange'))",
      )
      await conversation(page).locator('.md', { hasText: 'w3 ' }).waitFor()
      const broken = sockets.splice(0)
      for (const socket of broken) await socket.close({ code: 1012, reason: 'broken' })
      for (const each of pages) {
        const thread = conversation(each)
        await thread.getByText('End.', { exact: true }).waitFor({ timeout: 20_000 })
        expect(await thread.locator('.md > p').first().innerText()).toBe(words)
        expect(await thread.getByRole('article', { name: 'Answer' }).count()).toBe(1)
      }
      expect(sockets.length).toBeGreaterThanOrEqual(broken.length)
    })

    test('every event that a frontend may meet has its place', async () => {
      const { types } = await world.client.streamEvents()
      expect(Object.keys(eventPlaces).toSorted()).toEqual(types.toSorted())
    })
  },
  { agents: [verbose, lead, desk] },
)
