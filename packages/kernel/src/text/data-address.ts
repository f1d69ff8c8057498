/** Whether the address is the file itself. Parsers of addresses skip spaces and control characters, so these may stand anywhere in `data:`. */
export const isDataAddress = (uri: string): boolean => DATA_SCHEME.test(uri)

const DATA_SCHEME = new RegExp(`^[\\s\\p{Cc}]*${[...'data'].join('[\\s\\p{Cc}]*')}[\\s\\p{Cc}]*:`, 'iu')
