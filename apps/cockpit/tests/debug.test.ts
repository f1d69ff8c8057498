// The debug page of a session, over a real log.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describeCockpit, expectNoOverflow, longTest } from './browser.suite.ts'
import { importLongLog } from './long-log.suite.ts'

const HOSTILE = '<img src=x onerror=alert(1)>\u202e'

const script = [
  { text: 'One two three four.', chunks: 4 },
  { tool: 'read_file', id: 'call-1', args: { path: 'a.txt' }, result: { text: 'first\nsecond' } },
  { tool: 'grep', id: 'call-2', args: { pattern: HOSTILE }, outcome: 'error', result: HOSTILE },
  { event: { type: 'policy_decision', payload: { subject: 'grep', outcome: 'allowed', reason: 'It only reads.' } } },
  {
    event: {
      type: 'sandbox_notice',
      payload: { requested_backend: 'docker', resolved_backend: 'none', isolation: 'off' },
    },
  },
  {
    event: {
      type: 'context_compacted',
      payload: { original_count: 46, compacted_count: 18, summary: 'What was said\nso far.' },
    },
  },
  { checkpoint: 'read' },
]

const rowsOn = (page: Page) => page.locator('.log-rows [role=row]')
const row = (page: Page, type: string) => rowsOn(page).filter({ hasText: type }).first()

describeCockpit('the debug page', (world) => {
  test('[C68] [C69] has the raw log newest first, follows it, and filters are in the address', async () => {
    for (const id of ['one', 'two']) await world.ask('scripted', id, `@script ${JSON.stringify(script)}`)
    const page = await world.open('/s/one?agent=scripted')
    await page.getByLabel('Message').waitFor()
    await page.keyboard.press('Control+.')
    await row(page, 'turn_end').waitFor()
    const { entries } = await world.client.log('one', { agent: 'scripted' })
    await page.getByText(`${entries.length} events`).waitFor()
    const seqs = await page.evaluate<number[]>(
      "[...document.querySelectorAll('.log-rows [role=row]')].map((row) => Number(row.dataset.seq))",
    )
    expect(seqs).toEqual(seqs.toSorted((one, other) => other - one))
    expect(seqs[0]).toBe(entries.at(-1)?.seq)

    await page.getByLabel('Tool', { exact: true }).selectOption('grep')
    await expect.poll(() => rowsOn(page).count()).toBe(2)
    expect(new URL(page.url()).searchParams.get('tool')).toBe('grep')
    await page.getByLabel('Tool', { exact: true }).selectOption('')
    await page.keyboard.press('/')
    // The prompt is a script, which has the words too.
    await page.keyboard.type('only reads')
    await expect.poll(() => rowsOn(page).count()).toBe(3)
    await page.reload()
    await row(page, 'policy_decision').waitFor()
    await expect.poll(() => rowsOn(page).count()).toBe(3)
    await page.getByLabel('Search events').fill('')

    const before = entries.length
    await expect.poll(() => rowsOn(page).count()).toBeGreaterThan(5)
    await world.ask('scripted', 'one', 'Once more.')
    const later = await world.client.log('one', { agent: 'scripted' })
    expect(later.entries.length).toBeGreaterThan(before)
    await page.getByText(`${later.entries.length} events`).waitFor()
    await page.close()
  })

  longTest(
    '[C71] [C72] shows an entry readable, as it is, and the state after it; copies and branches from it',
    async () => {
      const page = await world.open('/s/two?agent=scripted&view=debug', {
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      await row(page, 'context_compacted').click()
      const pane = page.getByRole('region', { name: /^Event \d+$/ })
      await pane.getByText('What was said\nso far.').first().waitFor()
      const seq = Number(new URL(page.url()).searchParams.get('event'))
      const { entries } = await world.client.log('two', { agent: 'scripted', after: seq - 1, limit: 1 })
      await pane.getByRole('button', { name: 'JSON', exact: true }).click()
      await expect
        .poll(async () => JSON.parse((await page.evaluate('navigator.clipboard.readText()')) as string))
        .toEqual(JSON.parse(JSON.stringify(entries[0])))
      await pane.getByRole('button', { name: 'State after' }).click()
      await pane.getByRole('button', { name: /^messages/ }).click()
      await pane.getByRole('button', { name: 'Path' }).click()
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('messages')
      await rowsOn(page).filter({ hasText: 'tool_call' }).filter({ hasText: 'grep' }).click()
      await pane.getByRole('button', { name: 'Pretty' }).click()
      await pane.getByText('<img src=x').first().waitFor()
      expect(await page.locator('img').count()).toBe(0)
      await page.getByRole('grid').focus()
      await page.keyboard.press('ArrowDown')
      await expect.poll(() => Number(new URL(page.url()).searchParams.get('event'))).not.toBe(seq)

      const wire = page.getByRole('region', { name: 'Wire' })
      await world.ask('scripted', 'two', 'Say something.')
      await wire.getByText('delta').first().waitFor()
      await wire.getByRole('button', { name: 'Events' }).click()
      await wire.getByText('turn_end').first().waitFor()
      await wire.getByRole('button', { name: 'Health' }).click()
      await wire
        .getByText(/^score \d+/)
        .first()
        .waitFor()

      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'JSON lines' }).click(),
      ])
      expect(file.suggestedFilename()).toBe('two.jsonl')
      await page.setViewportSize({ width: 390, height: 844 })
      await expectNoOverflow(page)
      await page.getByRole('button', { name: 'Branch here' }).click()
      await page.getByText('This is the branch').waitFor()
      await page.close()
    },
  )

  longTest('[C70] fifty thousand entries are scrolled and filtered with few rows in the page', async () => {
    const usage = { type: 'usage', payload: { total_tokens: 7, cost_usd: 0 } }
    const turn = Array.from({ length: 2_000 }, () => usage)
    await importLongLog(
      world.client,
      'long',
      Array.from({ length: 25 }, () => turn),
    )
    const page = await world.open('/s/long?agent=scripted&view=debug')
    await page.getByText(/^50,\d{3} events, [\d,]+ shown, tokens merged$/).waitFor({ timeout: 50_000 })
    const grid = page.getByRole('grid')
    await grid.hover()
    for (let turn = 0; turn < 60; turn += 1) await page.mouse.wheel(0, turn * 400)
    await grid.focus()
    await page.keyboard.press('End')
    await page.locator('.log-rows [data-seq="1"]').waitFor()
    await page.getByLabel('Type', { exact: true }).selectOption('turn_end')
    await expect.poll(() => rowsOn(page).count()).toBe(25)
    await page.getByLabel('Type', { exact: true }).selectOption('')
    expect(await rowsOn(page).count()).toBeLessThan(100)
    await page.close()
  })
})
