import { expect, test } from 'vitest'
import { downloadDisposition } from './download-name.ts'

test.each([
  ['report.txt', 'report.txt'],
  ['turn m-1.wav', 'turn m-1.wav'],
  ['bericht für Ärzte.pdf', 'bericht für Ärzte.pdf'],
  ['👩‍💻.md', '👩‍💻.md'],
  // A file manager would show this one as CON.exe.txt.
  ['CON.\u202etxt.exe', 'CON.txt.exe'],
  ['a\u200bb\ufeff\u2066c\u2069.sh', 'abc.sh'],
  ['a\r\nx-evil: 1\u2028b\0', 'ax-evil_ 1b'],
  ['../../.ssh/id', '_.._.ssh_id'],
  ['..\\a|b"c', '_a_b_c'],
  ['.bashrc', 'bashrc'],
  ['\u202e', 'artifact'],
  ['\ud800a', '\ufffda'],
])('[H24] %j is saved as %j', (name, saved) => {
  const disposition = downloadDisposition(name)
  expect(disposition).toMatch(/^attachment; filename\*=UTF-8''[A-Za-z0-9._~!%-]+$/)
  expect(decodeURIComponent(disposition.slice(disposition.indexOf("''") + 2))).toBe(saved)
})
