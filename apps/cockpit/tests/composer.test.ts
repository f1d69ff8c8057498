// Writing to a session: prompts, the queue, steering, stopping, other wordings, branches, and prompts without a connection.
import { expect, test } from 'vitest'
import { describeCockpit, expectNoOverflow, expectUncovered, longTest } from './browser.suite.ts'

const script = (...steps: object[]) => `@script ${JSON.stringify(steps)}`

describeCockpit('the composer', (world) => {
  test('sends, queues, takes back, steers and stops', async () => {
    await world.ask('scripted', 'talk', script({ text: 'Hello.' }))
    const page = await world.open('/s/talk')
    const box = page.getByRole('textbox', { name: 'Message' })
    const thread = page.getByRole('log', { name: 'Conversation' })
    await thread.getByText('Hello.', { exact: true }).waitFor()
    await box.fill(script({ text: 'One, ' }, { approve: 'wait', id: 'w' }, { text: 'two.' }))
    await box.press('Enter')
    await page.getByRole('button', { name: 'Stop' }).waitFor()
    await box.fill(script({ text: 'Second.' }))
    await box.press('Enter')
    await page.getByText('Next', { exact: true }).waitFor()
    await box.fill(script({ text: 'Third.' }))
    await page.getByRole('button', { name: 'Queue', exact: true }).click()
    await page.getByText('Queued 2').waitFor()
    expect(await box.inputValue()).toBe('')
    await page.getByRole('button', { name: 'Remove from the queue' }).first().click()
    await page.getByText('Queued 2').waitFor({ state: 'detached' })
    expect(await page.locator('.queue').innerText()).toContain('Third.')
    await box.fill('Be brief.')
    await box.press('Control+Enter')
    // This agent does not listen in mid-run: the words are next, and the page says so.
    await page.getByText('next in the queue').waitFor()
    // The note covers no control.
    for (const name of ['Stop, then the next', 'Queue', 'Steer'])
      await expectUncovered(page.getByRole('button', { name, exact: name === 'Queue' }))
    expect(await page.locator('.queue').first().innerText()).toContain('Be brief.')
    await page.getByRole('button', { name: 'Remove from the queue' }).first().click()
    await expect.poll(() => page.locator('.queue').count()).toBe(1)
    await box.press('Escape')
    await thread.getByText('Third.', { exact: true }).waitFor()
    expect(await thread.getByText('Second.', { exact: true }).count()).toBe(0)
    await thread.getByText('Stopped.').waitFor()
  })

  test('a prompt is worded anew, an answer asked for again, and a branch opened', async () => {
    await world.ask('scripted', 'again', script({ text: 'First answer.' }))
    const page = await world.open('/s/again')
    const thread = page.getByRole('log', { name: 'Conversation' })
    await thread.getByText('First answer.', { exact: true }).waitFor()
    await thread.getByRole('button', { name: 'Edit this prompt' }).click()
    await page.getByRole('textbox', { name: 'Edited prompt' }).fill(script({ text: 'Other answer.' }))
    await page.getByRole('button', { name: 'Ask again' }).click()
    await thread.getByText('Other answer.', { exact: true }).waitFor()
    expect(await thread.getByText('First answer.', { exact: true }).count()).toBe(0)
    const id = await thread.getByRole('article', { name: 'Answer' }).getAttribute('data-message')
    await thread.getByRole('button', { name: 'Answer again' }).click()
    await expect.poll(() => thread.getByRole('article', { name: 'Answer' }).getAttribute('data-message')).not.toBe(id)
    await thread.getByText('Other answer.', { exact: true }).waitFor()
    await thread.getByRole('button', { name: 'Branch from this answer' }).click()
    await expect.poll(() => new URL(page.url()).pathname).not.toBe('/s/again')
    await thread.getByText('Other answer.', { exact: true }).waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Message')
    await page.getByRole('button', { name: 'New session with this agent' }).click()
    await page.getByText('Nothing was said yet.').waitFor()
  })

  test('files go along, and a prompt without a connection is held and sent once', async () => {
    await world.ask('scripted', 'held', script({ text: 'Ready.' }))
    const page = await world.open('/s/held')
    const box = page.getByRole('textbox', { name: 'Message' })
    const thread = page.getByRole('log', { name: 'Conversation' })
    await thread.getByText('Ready.', { exact: true }).waitFor()
    await page
      .getByLabel('Files')
      .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('n') })
    await page.getByRole('button', { name: 'Remove notes.txt' }).waitFor()
    await expect.poll(() => page.locator('.attached').innerText()).not.toContain('uploading')
    await page.getByRole('button', { name: 'Remove notes.txt' }).click()
    const port = Number(new URL(world.url).port)
    await world.stopServer()
    await page.getByRole('button', { name: 'Hold' }).waitFor()
    await box.fill(script({ text: 'Never.' }))
    await box.press('Enter')
    await box.fill(script({ text: 'Sent once.' }))
    await box.press('Enter')
    await page.getByRole('button', { name: 'Discard' }).first().click()
    await expect.poll(() => page.getByText('Held on this device').count()).toBe(1)
    await world.startServer(port)
    await thread.getByText('Sent once.', { exact: true }).waitFor({ timeout: 20_000 })
    expect(await thread.getByRole('article', { name: 'Prompt' }).count()).toBe(2)
    expect(await thread.getByText('Never.', { exact: true }).count()).toBe(0)
  })

  longTest('a prompt names the files that went with it, also after a reload and on a phone', async () => {
    await world.ask('scripted', 'files', script({ text: 'Ready.' }))
    const page = await world.open('/s/files', { viewport: { width: 390, height: 844 } })
    const thread = page.getByRole('log', { name: 'Conversation' })
    await thread.getByText('Ready.', { exact: true }).waitFor()
    const attach = async (...names: readonly string[]): Promise<void> => {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: 'Attach a file' }).click(),
      ])
      await chooser.setFiles(names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('n') })))
      await expect.poll(() => page.locator('.attached').innerText()).not.toContain('uploading')
    }
    await attach('notes.txt', `${'long '.repeat(30)}.txt`)
    await page.getByRole('textbox', { name: 'Message' }).fill(script({ text: 'Read.' }))
    await page.getByRole('button', { name: 'Send' }).click()
    const names = thread.getByRole('article', { name: 'Prompt' }).last().getByRole('list', { name: 'Files' })
    await names.getByText('notes.txt', { exact: true }).waitFor()
    await thread.getByText('Read.', { exact: true }).waitFor()
    await page.reload()
    await names.getByText('notes.txt', { exact: true }).waitFor()
    expect(await names.getByRole('listitem').count()).toBe(2)
    await expectNoOverflow(page)
    // During a run there are three more buttons beside that of the files.
    await page.getByRole('textbox', { name: 'Message' }).fill(script({ approve: 'wait', id: 'w' }))
    await page.getByRole('button', { name: 'Send' }).click()
    const steer = page.getByRole('button', { name: 'Steer' })
    await steer.waitFor()
    const { x, width } = (await steer.boundingBox())!
    expect(x + width).toBeLessThanOrEqual(390)
    await attach('later.txt')
    await page.getByRole('textbox', { name: 'Message' }).fill('Then this.')
    await page.getByRole('button', { name: 'Queue', exact: true }).click()
    await page.locator('.queue', { hasText: 'Then this.' }).getByText('with later.txt', { exact: true }).waitFor()
  })
})

describeCockpit(
  'the composer of an agent on an engine',
  (world) => {
    test('[C434] [C435] [C436] models and efforts are offered for an agent on an engine, and a choice stays with its session', async () => {
      for (const id of ['chosen', 'other']) await world.client.createChat({ agent: 'claude', session_id: id })
      await world.ask('scripted', 'plain', script({ text: 'Hello.' }))
      const page = await world.open('/s/chosen')
      const model = page.getByRole('combobox', { name: 'Model' })
      const effort = page.getByRole('combobox', { name: 'Effort' })
      await model.selectOption({ label: 'Claude Opus 5.5' })
      await effort.selectOption('high')
      await expectNoOverflow(page)
      const go = async (path: string) => {
        await page.evaluate(`history.pushState(null, '', '${path}')`)
        await expect.poll(() => page.url()).toContain(path)
      }
      await go('/s/other')
      await expect.poll(() => model.inputValue()).toBe('')
      expect(await model.locator('option').first().innerText()).toBe('default model')
      await go('/s/plain')
      await page.getByRole('log', { name: 'Conversation' }).getByText('Hello.', { exact: true }).waitFor()
      expect([await model.count(), await effort.count()]).toEqual([0, 0])
      await go('/s/chosen')
      await expect.poll(() => model.inputValue()).toBe('claude-opus-5-5')
      const box = page.getByRole('textbox', { name: 'Message' })
      await box.fill('Hi')
      await box.press('Enter')
      const asked = async () => (await world.client.session('chosen', 'claude')).messages.map(({ input }) => input)
      await expect
        .poll(async () => (await asked())[0])
        .toEqual({ prompt: 'Hi', model: 'claude-opus-5-5', effort: 'high' })
      const list = await world.open('/')
      await list.getByText('Live').waitFor()
      await list.keyboard.press('n')
      const dialog = list.getByRole('dialog', { name: 'New session' })
      await dialog.getByRole('combobox', { name: 'Agent' }).selectOption('claude')
      expect(await dialog.getByRole('combobox', { name: 'Effort' }).locator('option').allInnerTexts()).toEqual([
        ...['default', 'low', 'medium', 'high', 'xhigh', 'max'],
      ])
      await dialog.getByRole('combobox', { name: 'Agent' }).selectOption('scripted')
      await expect.poll(() => dialog.getByRole('combobox', { name: 'Model' }).count()).toBe(0)
    })
  },
  // Nothing answers there: a prompt fails, and its input has what was chosen.
  { sandbox: { url: 'http://127.0.0.1:9' } },
)
