// Synonyms for common work. A language model would know more; this costs nothing, and is the same in every process.
import { wordsIn } from './words.ts'

const GROUPS: readonly string[] = [
  'create add new make open insert write register',
  'delete remove erase drop discard clear trash rid',
  'update change edit modify adjust set rename',
  'find search look lookup query locate',
  'list show display browse overview',
  'send mail deliver dispatch forward tell notify',
  'email mail inbox letter',
  'message chat dm ping',
  'cancel abort revoke stop undo',
  'picture image photo screenshot',
  'invoice bill',
  'payment pay charge money',
  'refund reimburse return',
  'meeting appointment event calendar call',
  'customer client contact buyer',
  'employee staff colleague worker person people',
  'vacation holiday leave absence off',
  'ticket issue bug problem task todo',
  'repository repo project code',
  'merge combine join',
  'branch fork',
  'file document doc',
  'folder directory',
  'download fetch export save',
  'upload import attach',
  'translate translation language',
  'summary summarize shorten short gist',
  'price cost fee rate quote',
  'stock inventory warehouse',
  'shipment shipping parcel package delivery tracking track',
  'order purchase buy',
  'weather forecast rain temperature',
  'convert exchange',
  'route directions travel drive way navigation',
  'flight plane airline fly',
  'hotel room stay lodging',
  'restaurant table dinner lunch',
  'password credential secret login',
  'user account profile member',
  'permission access role rights',
  'server machine instance host vm',
  'restart reboot',
  'log logs trace',
  'deploy release ship rollout publish',
  'test check verify validate',
  'database table sql',
  'chart graph plot diagram',
  'report statistics analytics metrics numbers',
  'salary payroll wage pay',
  'hire candidate applicant recruit',
  'contract agreement sign signature',
  'phone call dial telephone',
  'reminder remind alarm',
  'note memo',
  'song music track playlist',
  'video movie film',
  'light lamp heating thermostat',
  'subscription plan',
  'block ban',
  'share',
]

/** The words that mean the same as a stem; it stands in none of its own lists. */
export const synonymsOf = (word: string): readonly string[] => TABLE.get(word) ?? []

const TABLE: ReadonlyMap<string, readonly string[]> = (() => {
  const table = new Map<string, string[]>()
  for (const group of GROUPS.map(wordsIn))
    for (const word of group) table.set(word, [...(table.get(word) ?? []), ...group.filter((other) => other !== word)])
  return table
})()
