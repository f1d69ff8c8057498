// The page of branches: the tree, two sessions side by side, a branch from an event, and a replay.
import { expect, test, vi } from 'vitest'
import { type CockpitWorld, describeCockpit, expectNoOverflow, longTest } from './browser.suite.ts'

const HOSTILE = '<img src=x onerror=alert(1)>\u202eevil'

/** A session with a checkpoint, two branches, and a branch of a branch. */
const plant = async (world: CockpitWorld): Promise<void> => {
  const { client } = world
  const asked = (...steps: object[]) => ({ prompt: `@script ${JSON.stringify(steps)}` })
  await client.invoke(
    'scripted',
    'trunk',
    asked(
      { tool: 'edit_file', id: 'c1', args: { path: 'config/retry.yaml' }, result: 'ok' },
      { checkpoint: `half ${HOSTILE}` },
      { usage: { input_tokens: 900, output_tokens: 100, cost_usd: 0.25 } },
      { text: 'The trunk is done.' },
    ),
  )
  const { lastEventId } = await client.session('trunk')
  const tree = await client.sessionTree('trunk')
  const checkpoint = tree.sessions[0]?.checkpoints?.[0] ?? 0
  await client.branch('trunk', { from_event_id: checkpoint, session_id: 'early', title: 'Early' })
  await client.branch('trunk', { from_event_id: lastEventId, session_id: 'late', title: `Late ${HOSTILE}` })
  await client.invoke(
    'scripted',
    'late',
    asked({ tool: 'run_tests', id: 'c2', outcome: 'error' }, { text: 'Late is done.' }),
  )
  const { lastEventId: end } = await client.session('late')
  await client.branch('late', { from_event_id: end, session_id: 'leaf', title: 'Leaf' })
}

describeCockpit('branches', (world) => {
  test('[C55] [C56] [C57] the tree, two sessions of the address, and what differs', async () => {
    await plant(world)
    const page = await world.open('/s/trunk?agent=scripted&view=branches')
    const names = page.getByRole('list', { name: 'Sessions of the tree' })
    await names.getByRole('link', { name: 'Leaf' }).waitFor()
    expect(await names.getByRole('listitem').count()).toBe(4)
    await names.getByText('⟨U+202E⟩evil').waitFor()
    // The newest branch stands beside the session; the letters choose others, and the address says which.
    await names.getByRole('button', { name: 'Compare Leaf as B' }).click()
    await names.getByRole('button', { name: 'Compare Early as A' }).click()
    await vi.waitFor(() => expect(new URL(page.url()).searchParams.get('a')).toBe('early'))
    expect(new URL(page.url()).searchParams.get('b')).toBe('leaf')
    const b = page.getByRole('group', { name: 'B: Leaf' })
    await b.getByText('Late is done.').first().waitFor()
    await page.getByText(/Histories part after event \d+/).waitFor()
    const numbers = page.getByRole('table', { name: 'In numbers' })
    await numbers.getByRole('row', { name: /^Cost unknown \$0.25/ }).waitFor()
    await numbers.getByRole('row', { name: /^Failed calls 0 1/ }).waitFor()
    // The same address shows the same pair to somebody else, also on a phone.
    const phone = await world.open(new URL(page.url()).pathname + new URL(page.url()).search, {
      viewport: { width: 390, height: 844 },
    })
    await phone.getByRole('group', { name: 'A: Early' }).waitFor()
    await phone.getByRole('table', { name: 'In numbers' }).waitFor()
    await expectNoOverflow(phone)
    await world.closePages()
  })

  longTest('[C58] a branch from a mark of the tree, with its prompt; a removed parent is named', async () => {
    const page = await world.open('/s/leaf?agent=scripted&view=branches')
    const mark = page.getByRole('button', { name: /^Checkpoint at event \d+ of A script/ }).first()
    await mark.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: /Branch from event/ })
    await dialog.getByLabel(/^Prompt/).fill('@script [{"text":"From the mark."}]')
    await dialog.getByLabel(/^Title/).fill('Marked')
    await dialog.getByRole('button', { name: 'Branch', exact: true }).click()
    await page.getByRole('heading', { name: /Marked/ }).waitFor()
    await page.getByText('From the mark.').first().waitFor()
    await world.client.request('agents/scripted/late', { method: 'DELETE' })
    const orphan = await world.open('/s/leaf?agent=scripted&view=branches')
    await orphan.getByText('Removed session').waitFor()
    await orphan.getByText('Removed', { exact: true }).waitFor()
    await orphan.getByText('There is nothing to compare yet.', { exact: false }).waitFor()
    // The inspector has the same places.
    await orphan.goto(new URL('/s/trunk?agent=scripted&tab=branches', world.url).href)
    await orphan
      .getByRole('region', { name: 'Resume points' })
      .getByRole('button', { name: 'Branch' })
      .first()
      .waitFor()
    await world.closePages()
  })

  longTest('[C59] a session is run again with a change, and both stand side by side, prompt by prompt', async () => {
    const { client } = world
    for (const text of ['one', 'two'])
      await client.invoke('scripted', 'again', { prompt: `@script ${JSON.stringify([{ text }])}` })
    const page = await world.open('/s/again?agent=scripted&view=branches')
    await page.getByRole('button', { name: 'Run again with a change' }).click()
    const dialog = page.getByRole('dialog', { name: 'Run again with a change' })
    await dialog.getByText('Tools run again', { exact: false }).waitFor()
    await dialog.getByLabel(/^Model/).fill('acme/large')
    await dialog.getByRole('button', { name: 'Run 2 prompts again' }).click()
    await dialog.getByRole('alert').getByText('has no model that a session could choose', { exact: false }).waitFor()
    await dialog.getByLabel(/^Model/).fill('')
    await dialog.getByLabel(/cost/).fill('2')
    await dialog.getByLabel(/^Title/).fill('Second run')
    await dialog.getByRole('button', { name: 'Run 2 prompts again' }).click()
    await page.getByRole('group', { name: 'B: Second run' }).waitFor()
    const address = new URL(page.url()).searchParams
    expect([address.get('view'), address.get('a')]).toEqual(['branches', 'again'])
    const prompts = page.getByRole('region', { name: 'Prompt by prompt' })
    await vi.waitFor(async () => expect(await prompts.getByText('same answer').count()).toBe(2), { timeout: 20_000 })
    await page.getByRole('group', { name: 'B: Second run' }).getByText('Policy set').waitFor()
  })
})
