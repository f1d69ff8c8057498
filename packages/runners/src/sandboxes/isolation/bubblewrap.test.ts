import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bubblewrapCommand, probeBubblewrap } from './bubblewrap.ts'

test('a program that is not there, or does not work, is a reason', async () => {
  expect(await probeBubblewrap('/nonexistent/bwrap')).toBe('bubblewrap (bwrap) is not installed')
  expect(await probeBubblewrap('/bin/false')).toMatch(/^bubblewrap does not work here: /)
})

test('what lies in a folder comes after it, so that nothing shown covers what is hidden or written', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-view-'))
  const [shown, hidden] = [join(folder, 'app'), join(folder, 'app', 'data')]
  const [work, state] = [join(hidden, 'work'), join(hidden, 'state')]
  for (const each of [work, state]) mkdirSync(each, { recursive: true })
  const args = bubblewrapCommand(['true'], { work, state, tmp: folder, folder, readOnly: [shown], hidden: [hidden] })
  const places = [`--ro-bind ${shown}`, `--tmpfs ${hidden}`, `--bind ${work}`, `--remount-ro ${hidden}`]
  const at = places.map((place) => args.join(' ').indexOf(place))
  expect(at).toEqual(at.toSorted((one, other) => one - other))
  expect(at).not.toContain(-1)
  expect(args).toContain('--die-with-parent')
  rmSync(folder, { recursive: true, force: true })
})

test('no capability is left, and nothing of the host is shared but what an operator opened', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-view-'))
  const view = { work: folder, state: folder, tmp: folder, folder, readOnly: [], hidden: [] }
  const own = bubblewrapCommand(['true'], view)
  for (const flag of ['--unshare-net', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--new-session'])
    expect(own).toContain(flag)
  expect(own.slice(own.indexOf('--cap-drop'), own.indexOf('--cap-drop') + 2)).toEqual(['--cap-drop', 'ALL'])
  expect(bubblewrapCommand(['true'], { ...view, sharesNetwork: true })).not.toContain('--unshare-net')
  rmSync(folder, { recursive: true, force: true })
})
