import { expect, test } from 'vitest'
import { isSafeFileName, safeFileName } from './file-names.ts'

test.each<[string | null, string]>([
  ['report.pdf', 'report.pdf'],
  ['Übersicht 2026.csv', 'Übersicht_2026.csv'],
  ['表.xlsx', '表.xlsx'],
  ['../../etc/passwd', 'etc_passwd'],
  ['..\\..\\boot.ini', 'boot.ini'],
  ['/etc/shadow', 'etc_shadow'],
  ['..', 'file'],
  ['.', 'file'],
  ['', 'file'],
  [null, 'file'],
  ['.bashrc', 'bashrc'],
  ['-rf', 'rf'],
  ['a\0b\nc\r.txt', 'a_b_c_.txt'],
  ['a; rm -rf ~ #.txt', 'a__rm_-rf____.txt'],
  ['$(id)`id`"\'.sh', 'id__id___.sh'],
  ['safe\u202Efdp.exe', 'safe_fdp.exe'],
  ['e\u0301.txt', 'é.txt'],
  [`${'x'.repeat(300)}.tar`, `${'x'.repeat(56)}.tar`],
  [`${'é'.repeat(300)}`, 'é'.repeat(60)],
  ['😀'.repeat(100), 'file'],
])('[OH107] %j is %j', (name, expected) => {
  const safe = safeFileName(name)
  expect(safe).toBe(expected)
  expect(isSafeFileName(safe)).toBe(true)
  expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(255)
  if (name !== null && name.normalize('NFC') !== safe) expect(isSafeFileName(name)).toBe(false)
})
