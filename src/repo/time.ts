export { iso } from '../model/iso.ts'
