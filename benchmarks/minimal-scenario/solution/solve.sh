#!/bin/bash
cp assets/word.txt copy.txt
