import { expect, test } from 'vitest'
import { isDataAddress } from './data-address.ts'

test('[OH18] [OHS6] an address that a parser would take for data is one', () => {
  for (const uri of ['data:x', 'DATA:x', ' \t data:x', 'da\tta:x', 'd\na\rt\na\t:x', '\u0000data:x', '\u001fdata:,'])
    expect([uri, isDataAddress(uri), new URL(uri).protocol]).toEqual([uri, true, 'data:'])
  for (const uri of ['https://data:1/', 'database:x', 'https://example.com/data:x', 'dat', '', 'xdata:y'])
    expect([uri, isDataAddress(uri)]).toEqual([uri, false])
})
