import { SessError } from '../../model/errors.ts'
import type { Define } from '../call.ts'
import { defineCommand } from '../program.ts'
