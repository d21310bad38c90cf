import { loadLanguages } from '../../page/languages.ts'

export { SessionView } from './session.tsx'

loadLanguages()
