// The card of an approval: all of it can be read, changed and answered once, whatever happens to the server in between.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { agent } from 'bridle'
import { fabricClient } from 'bridle/client'
import type { Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { type CockpitWorld, describeCockpit, expectNoOverflow, longTest } from './browser.suite.ts'
import { builtCockpit } from './built-app.suite.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const script = (args: object, more: object = {}): object[] => [
  { approve: 'write_file', id: 'call-1', args, reason: 'It changes a file.', ...more },
  { text: 'After the call.' },
]
/** Two questions at once. */
const twice = agent({
  name: 'twice',
  run: async ({ session }) => {
    const ask = async (id: string) => {
      const call = session.tool('write_file', { path: id }, async () => 'written', { id, approve: true })
      return call.then(
        () => 'approved',
        () => 'denied',
      )
    }
    const [one, two] = await Promise.all([ask('one'), ask('two')])
    return `first ${one}, second ${two}`
  },
})
const card = (page: Page, tool = 'write_file') => page.getByRole('article', { name: `Approval needed: ${tool}` })

const HIDDEN_KEY = 'ke\u200by'
/** More prompts than the window of assistant-ui has messages. */
const WAITING = 25
/** Servers in processes of their own, which end with their test. */
const processes: ChildProcess[] = []

/** The approved arguments, as the call of a session has them. */
const approvedArguments = async (world: CockpitWorld, id: string, at = -1): Promise<unknown> => {
  const { messages } = await world.client.session(id)
  return messages.at(at)?.toolCalls?.[0]?.arguments
}
const statusOf = (world: CockpitWorld, id: string) => async () => (await world.client.session(id)).status

describeCockpit(
  'an approval',
  (world) => {
    afterEach(async () => {
      await world.closePages()
      for (const child of processes.splice(0)) child.kill('SIGKILL')
      const { approvals } = await world.client.approvals()
      const agents = new Map(approvals.map(({ sessionId, agent }) => [sessionId, agent]))
      for (const [sessionId, agent] of agents) await world.client.remove(agent, sessionId)
    })

    test('[C64] on the page of a session the keys answer the first open approval, where nothing takes text', async () => {
      await fabricClient({ url: world.url }).invoke('twice', 'keys', { prompt: 'Go' }, { async: true })
      const page = await world.open('/s/keys')
      await card(page).nth(1).waitFor()
      await page.locator('fieldset.acts:not([disabled])').nth(1).waitFor()
      const caps = card(page).locator('.acts .kbd:visible')
      expect(await caps.allInnerTexts()).toEqual(['A', 'E', 'D'])
      expect(await card(page).first().locator('.acts .kbd:visible').count()).toBe(3)
      // Text for the agent is no answer.
      await page.locator('.composer textarea').click()
      await page.keyboard.type('add')
      expect(await card(page).count()).toBe(2)
      // The keys belong to the card with the focus, and its buttons show them.
      await card(page).nth(1).focus()
      expect(await card(page).nth(1).locator('.acts .kbd:visible').count()).toBe(3)
      expect(await caps.count()).toBe(3)
      await page.getByRole('heading', { level: 1 }).click()
      // `g` and then `d` is another page.
      await page.keyboard.press('g')
      await page.keyboard.press('d')
      await page.waitForURL(/view=debug/)
      await page.goBack()
      await page.locator('fieldset.acts:not([disabled])').nth(1).waitFor()
      // A card out of sight is shown first.
      await page.setViewportSize({ width: 1440, height: 420 })
      await page
        .getByRole('log', { name: 'Conversation' })
        .evaluate('(thread) => { thread.scrollTop = thread.scrollHeight }')
      await page.keyboard.press('d')
      await card(page).first().locator('.acts').waitFor()
      expect(await page.evaluate('document.activeElement?.id')).toBe(await card(page).first().getAttribute('id'))
      expect(await card(page).count()).toBe(2)
      await page.keyboard.press('d')
      await expect.poll(() => card(page).count()).toBe(1)
      await page.setViewportSize({ width: 1440, height: 900 })
      await page.getByRole('heading', { level: 1 }).click()
      await page.keyboard.press('a')
      await page.getByText('first denied, second approved').waitFor()
    })

    longTest(
      '[C64] what is typed for a palette whose code is loading answers nothing, and the palette stays',
      async () => {
        await fabricClient({ url: world.url }).invoke('twice', 'typed', { prompt: 'Go' }, { async: true })
        const page = await world.open('/s/typed')
        const code = Promise.withResolvers<void>()
        await page.route(/palette-[^/]*\.js/, async (route) => {
          await code.promise
          await route.continue()
        })
        await page.locator('fieldset.acts:not([disabled])').nth(1).waitFor()
        const asked = page.waitForRequest(/palette-[^/]*\.js/)
        await page.keyboard.press('Control+k')
        await asked
        await page.keyboard.type('add', { delay: 20 })
        code.resolve()
        const palette = page.getByRole('dialog', { name: 'Search or run' })
        await palette.getByRole('combobox').waitFor()
        await page.keyboard.type('dark')
        await palette.getByRole('option', { name: /dark/i }).first().waitFor()
        expect((await world.client.approvals()).approvals.map(({ sessionId }) => sessionId)).toEqual(['typed', 'typed'])
      },
    )

    test('edited with a live diff: the run goes on with the edited arguments', async () => {
      await world.play('edit', script({ path: 'a.ts', content: 'one\ntwo\nthree\n', mode: 6 }))
      const page = await world.open('/inbox')
      await card(page).getByText('The new contents of the whole file.').waitFor()
      await card(page).focus()
      await page.locator('fieldset.acts:not([disabled])').waitFor()
      await page.keyboard.press('e')
      // A text is edited as text, with its line ends; a number is JSON.
      const content = page.getByRole('textbox', { name: 'content' })
      expect(await content.inputValue()).toBe('one\ntwo\nthree\n')
      await page.getByRole('textbox', { name: 'mode' }).fill('six')
      await page.getByText('mode is not JSON: line 1, column 1.').waitFor()
      expect(await page.getByRole('button', { name: 'Approve', exact: true }).isDisabled()).toBe(true)
      await page.getByRole('textbox', { name: 'mode' }).fill('6')
      await content.fill('one\n2 "two"\nthree\n')
      const changes = page.getByRole('region', { name: 'Your changes' })
      await changes.locator('.yours', { hasText: '2 "two"' }).waitFor()
      await page.getByText('1 change', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'JSON' }).click()
      const field = page.getByRole('textbox', { name: 'Your arguments' })
      expect(JSON.parse(await field.inputValue()).content).toBe('one\n2 "two"\nthree\n')
      // Escape gives the edits up; the keys work again at once.
      await field.press('Escape')
      await field.waitFor({ state: 'detached' })
      await page.keyboard.press('e')
      await page.getByRole('button', { name: 'JSON' }).click()
      await field.fill(JSON.stringify({ path: 'a.ts', content: 'one\n2\nthree\n', mode: 6, force: true }))
      await changes.locator('.del', { hasText: 'two' }).waitFor()
      await changes.locator('.yours', { hasText: '2' }).waitFor()
      await changes.getByText('force (added)').waitFor()
      await page.getByText('2 changes').waitFor()
      // Letters and Enter in the field are text.
      await field.press('End')
      await field.press('Enter')
      await page.getByRole('button', { name: 'Approve with edits', exact: true }).waitFor()
      await field.press('Control+Enter')
      await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
      await expect.poll(statusOf(world, 'edit'), { timeout: 10_000 }).toBe('idle')
      expect(await approvedArguments(world, 'edit')).toEqual({
        path: 'a.ts',
        content: 'one\n2\nthree\n',
        mode: 6,
        force: true,
      })
      await page.getByText('approved with edits').first().waitFor()
    })

    test('edits that do not fit the tool: the sentence of the server, and the form stays', async () => {
      await world.play('misfit', script({ path: 'a.ts' }, { takes: ['path'] }))
      const page = await world.open('/inbox')
      await card(page).focus()
      await page.locator('fieldset.acts:not([disabled])').waitFor()
      await page.keyboard.press('e')
      await page.getByRole('button', { name: 'JSON' }).click()
      const field = page.getByRole('textbox', { name: 'Your arguments' })
      await field.fill('{"paht":"b.ts"}')
      await field.press('Control+Enter')
      const problem = page
        .getByRole('alert')
        .getByText('The arguments of "write_file" do not fit: path: It is missing.')
      await problem.waitFor()
      expect(await field.inputValue()).toBe('{"paht":"b.ts"}')
      expect(await field.isEnabled()).toBe(true)
      await field.fill('{"path":"b.ts"}')
      await field.press('Control+Enter')
      await expect.poll(statusOf(world, 'misfit'), { timeout: 10_000 }).toBe('idle')
      expect(await approvedArguments(world, 'misfit')).toEqual({ path: 'b.ts' })
    })

    longTest('approved, the call runs and the session pauses before its next step', async () => {
      await world.play('pause', script({ path: 'b.ts' }))
      const page = await world.open('/inbox')
      await card(page).getByRole('button', { name: 'Approve and pause' }).click()
      await expect.poll(statusOf(world, 'pause'), { timeout: 10_000 }).toBe('paused')
      const { messages } = await world.client.session('pause')
      expect(messages.at(-1)?.toolCalls?.[0]?.outcome).toBe('ok')
      expect(messages.at(-1)?.content).toBe('')
      await world.client.remove('scripted', 'pause')
    })

    longTest('stands in the thread and can be answered, however many prompts wait behind it', async () => {
      await world.play('behind', script({ path: 'c.ts' }))
      await expect.poll(statusOf(world, 'behind'), { timeout: 10_000 }).toBe('awaiting_approval')
      for (let at = 0; at < WAITING; at++) await world.play('behind', [{ text: `Waited ${at}.` }])
      const page = await world.open('/s/behind')
      const thread = page.getByRole('log', { name: 'Conversation' })
      await thread.getByRole('article', { name: 'Approval needed: write_file' }).waitFor()
      // The queue above the composer has the prompts that wait; the thread has them when their turn comes.
      expect(await thread.getByText('waits for its turn').count()).toBe(0)
      await card(page).getByRole('button', { name: 'Approve', exact: true }).click()
      await thread.getByText(`Waited ${WAITING - 1}.`, { exact: true }).waitFor({ timeout: 30_000 })
      expect(await approvedArguments(world, 'behind', 1)).toEqual({ path: 'c.ts' })
    })

    longTest(
      'hostile arguments are shown character by character, and 200 kB of them are all within reach',
      async () => {
        const command = `cat invoice\u202efdp.exe\u200b; rm\u00a0-rf /\u0007 <img src=x onerror=alert(1)>`
        const long = `${'x'.repeat(100)} `.repeat(2_000)
        await world.play('hostile', script({ command, [HIDDEN_KEY]: '\u{e0041}', long: `${long}over and out` }))
        for (const viewport of [
          { width: 390, height: 844 },
          { width: 1440, height: 900 },
        ]) {
          const page = await world.open('/inbox', { viewport })
          // The list has no room for them: the card loads them before anybody can approve.
          await card(page)
            .getByText('cat invoice⟨U+202E⟩fdp.exe⟨U+200B⟩; rm⟨U+00A0⟩-rf /⟨U+0007⟩ <img src=x onerror=alert(1)>')
            .waitFor()
          await card(page).getByText('6 characters in it').waitFor()
          await card(page).getByText('ke⟨U+200B⟩y').waitFor()
          expect(await page.getByText('over and out').count()).toBe(0)
          await page.getByRole('button', { name: 'Show all 202.0 kB' }).click()
          await page.getByText('over and out').waitFor()
          await page.getByRole('button', { name: 'Jump to the end' }).click()
          await page.getByText('Scroll to the end to approve').waitFor({ state: 'detached' })
          await page.getByRole('button', { name: 'JSON' }).click()
          await page.getByText('"ke\\u200by": "\\udb40\\udc41"').waitFor()
          await expectNoOverflow(page)
          if (viewport.width > 1_000) await page.getByRole('button', { name: 'Approve', exact: true }).click()
          await page.close()
        }
        await expect.poll(statusOf(world, 'hostile'), { timeout: 10_000 }).toBe('idle')
        expect(await approvedArguments(world, 'hostile')).toEqual({
          command,
          [HIDDEN_KEY]: '\u{e0041}',
          long: `${long}over and out`,
        })
      },
    )

    longTest('a server that restarts under the open card freezes it, and the draft is there afterwards', async () => {
      await world.play('restart', script({ path: 'c.ts' }))
      const page = await world.open('/inbox')
      await card(page).getByLabel('Note to the agent').fill('still here')
      await world.stopServer()
      await page.getByText('Nothing can be decided until it is back.').waitFor()
      expect(await page.getByRole('button', { name: 'Approve', exact: true }).isDisabled()).toBe(true)
      await card(page).focus()
      await page.keyboard.press('a')
      await world.startServer(Number(new URL(world.url).port))
      await page.getByText('Nothing can be decided until it is back.').waitFor({ state: 'detached' })
      expect(await card(page).getByLabel('Note to the agent').inputValue()).toBe('still here')
      expect((await world.client.approvals()).approvals).toHaveLength(1)
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      await expect.poll(statusOf(world, 'restart'), { timeout: 10_000 }).toBe('idle')
      const { approvals } = await world.client.approvals({ status: 'decided' })
      expect(approvals[0]).toMatchObject({ sessionId: 'restart', status: 'approved', decisionReason: 'still here' })
    })

    test('kill -9 of the server under the open card: the same approval is answered after the restart', async () => {
      const data = join(world.folder, 'killed')
      const first = await startProcess({ port: 0, data, cockpit: await builtCockpit() })
      const client = fabricClient({ url: first.url })
      for (const id of ['one', 'two', 'three'])
        await client.invoke(
          'scripted',
          id,
          { prompt: `@script ${JSON.stringify(script({ path: id }))}` },
          { async: true },
        )
      await expect.poll(async () => (await client.approvals()).approvals.length, { timeout: 10_000 }).toBe(3)
      const listed = (await client.approvals()).approvals.find(({ sessionId }) => sessionId === 'two')
      const page = await world.open(`${first.url}/inbox?a=${listed?.id}&s=two`)
      await card(page).getByText('"two"', { exact: true }).waitFor()
      first.process.kill('SIGKILL')
      await once(first.process, 'exit')
      await page.getByText('Nothing can be decided until it is back.').waitFor()
      await startProcess({ port: Number(new URL(first.url).port), data, cockpit: await builtCockpit() })
      await page.getByText('Nothing can be decided until it is back.').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      await expect.poll(async () => (await client.session('two')).status, { timeout: 10_000 }).toBe('idle')
      expect((await client.approvals()).approvals.map(({ sessionId }) => sessionId).sort()).toEqual(['one', 'three'])
    })
  },
  { agents: [twice] },
)

/** A server in a process of its own, from source. */
const startProcess = async (options: object): Promise<{ process: ChildProcess; url: string }> => {
  const code = `
    import { HarnessServer } from 'bridle/node'
    const server = await HarnessServer.start({ ...${JSON.stringify(options)}, log: () => {} })
    console.log(server.url)`
  const child = spawn(process.execPath, ['--conditions=bridle-source', '--input-type=module', '--eval', code], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  processes.push(child)
  const [line] = await once(child.stdout, 'data')
  return { process: child, url: String(line).trim() }
}
