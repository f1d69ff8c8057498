/** Whether the address contains the file itself. URL parsers skip spaces and control characters, even within `data:`. */
export const isDataAddress = (uri: string): boolean => DATA_SCHEME.test(uri)

const DATA_SCHEME = new RegExp(`^[\\s\\p{Cc}]*${[...'data'].join('[\\s\\p{Cc}]*')}[\\s\\p{Cc}]*:`, 'iu')
