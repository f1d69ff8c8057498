// The inspector of a session: its timeline, what its agent knows, and its work.
import { expect, test } from 'vitest'
import { describeCockpit, expectNoOverflow, expectNoSideScroll, longTest } from './browser.suite.ts'

/** Markup, control characters and a right-to-left mark, in every text that an agent may write. */
const HOSTILE = '<img src=x onerror=alert(1)>\u202eevil\u0007'

describeCockpit('the inspector', (world) => {
  test('has a row for each call id, with its own outcome, and opens the one that is clicked', async () => {
    await world.play('calls', [
      { tool: 'read_file', id: 'first', args: { path: 'a.ts' }, result: { lines: 12 } },
      { tool: 'read_file', id: 'second', args: { path: 'b.ts' }, outcome: 'timeout' },
      { checkpoint: 'half of it' },
      ...['x', 'y', 'z'].map((id) => ({ tool: 'grep', id, args: { of: id }, result: `found ${id}` })),
      {
        event: {
          type: 'context_compacted',
          payload: { original_count: 46, compacted_count: 18, tokens_saved: 31_400 },
        },
      },
      { approve: 'write_file', id: 'asked', args: { path: 'c.ts' }, reason: 'it writes' },
    ])
    const page = await world.open('/s/calls?agent=scripted')
    const calls = page.getByRole('region', { name: 'Calls' })
    await calls.getByRole('button', { name: /waiting.*write_file/ }).waitFor()
    await calls.getByRole('button', { name: /^ok\s*read_file/ }).waitFor()
    await calls.getByText(/46 → 18 messages · 31,400 tokens saved/).waitFor()
    await calls.getByText('half of it').waitFor()
    await calls.getByRole('button', { name: /timed out\s*read_file/ }).click()
    await calls.getByText('"path": "b.ts"').waitFor()
    expect(new URL(page.url()).searchParams.get('call')).toBe('second')
    expect(await calls.getByText('"path": "a.ts"').count()).toBe(0)
    // Three of a kind are one row, which opens.
    await calls.getByRole('button', { name: /grep ×3/ }).click()
    await calls
      .getByRole('button', { name: /^ok\s*grep\s/ })
      .nth(2)
      .click()
    await calls.getByText('found y').waitFor()
    await expectNoSideScroll(page)
    // The same address shows the same call to somebody else.
    const other = await world.open(new URL(page.url()).pathname + new URL(page.url()).search)
    await other.getByRole('region', { name: 'Calls' }).getByText('found y').waitFor()
  })

  test('shows the plan, and steps by id; keys change the tab', async () => {
    const plan = [
      { text: 'Find every policy', status: 'done' },
      { text: 'Lower the limit', status: 'in_progress' },
      { text: 'Report', status: 'pending' },
    ]
    await world.play('plan', [
      { event: { type: 'step_progress', payload: { step_id: 'plan', status: 'in_progress', plan } } },
      { text: 'ok' },
    ])
    const page = await world.open('/s/plan')
    const section = page.getByRole('region', { name: 'Plan' })
    await section.getByText('step 2 of 3').waitFor()
    await page.getByRole('region', { name: 'At a glance' }).getByText('step 2 of 3').waitFor()
    await section.getByText('Lower the limit').waitFor()
    await page.keyboard.press('t')
    await page.getByRole('tab', { name: /Health/, selected: true }).waitFor()
    expect(new URL(page.url()).searchParams.get('tab')).toBe('health')
  })

  longTest('text of an agent is text, and widens no page', async () => {
    const long = `${'long'.repeat(300)} ${HOSTILE}`
    await world.play('hostile', [
      { event: { type: 'step_progress', payload: { step_id: HOSTILE, summary: long } } },
      { tool: `tool-${'n'.repeat(100)}`, id: `id-${'i'.repeat(80)}`, args: { long, [HOSTILE]: 1 }, result: long },
      { event: { type: 'context_warning', payload: { message: long } } },
      { checkpoint: long },
      { fail: long },
    ])
    const page = await world.open(`/s/hostile?wide=1&call=id-${'i'.repeat(80)}`)
    await page.locator('.call-details').getByText('⟨U+202E⟩evil⟨U+0007⟩').first().waitFor()
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 844 })
      await expectNoOverflow(page)
      await expectNoSideScroll(page)
    }
    expect(await page.locator('.insp img').count()).toBe(0)
  })
})
